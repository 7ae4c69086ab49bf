// The cluster's network: a bridge in the outer network namespace, which is also the head's
// interface, and a cable (veth pair) from it to each host.
#pragma once

#include <sys/types.h>

#include "cluster/netlink.hpp"

namespace ductile::cluster {

/// Makes the bridge and gives the head its address on it. In the outer network namespace.
void make_bridge(Netlink& outer);

/// Lays a cable from the bridge to the network namespace of `init`, where its end is called eth0.
void plug_host(Netlink& outer, int number, pid_t init);

/// Takes the cable away, both ends. Nothing happens when there is none.
void unplug_host(Netlink& outer, int number);

/// Brings up loopback and eth0 with the host's address. In the host's own network namespace, after
/// plug_host.
void configure_host(int number);

enum class Cable { cut, mended };

/// Cut: the bridge drops whatever comes from and goes to the host, silently; both ends still see a
/// carrier.
void set_cable(Netlink& outer, int number, Cable state);

}  // namespace ductile::cluster
