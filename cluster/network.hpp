// The cluster's network: a bridge in the outer network namespace, which is also the head's
// interface; a cable (veth pair) from the bridge to each host; and each host's table of neighbours.
#pragma once

#include <sys/types.h>

#include <vector>

#include "cluster/netlink.hpp"

namespace ductile::cluster {

/// Makes the bridge and gives the head its address on it. Called in the outer network namespace.
void make_bridge(Netlink& outer);

/// Makes a cable from the bridge to the network namespace of `init`. The end in that namespace has
/// the name eth0.
void plug_host(Netlink& outer, int number, pid_t init);

/// Removes both ends of the cable. Does nothing if there is no cable.
void unplug_host(Netlink& outer, int number);

/// Brings up loopback and eth0 with the host's address. Called in the host's own network namespace,
/// after plug_host.
void configure_host(int number);

/// The interface of a host or of the head, and its table of neighbours (ARP).
class Interface {
  public:
    /// Called in the network namespace of the host, after plug_host, or of the head. The other
    /// functions work from any namespace. The network namespace must live at least as long as this
    /// object.
    explicit Interface(int number);
    /// Makes permanent entries for these hosts. The kernel limits the entries that it learns, for
    /// all namespaces of the machine together (1,024: net.ipv4.neigh.default.gc_thresh3). About 40
    /// hosts that all talk to each other need more. Permanent entries do not count for this limit.
    void add_neighbours(const std::vector<int>& numbers);
    /// Removes the entries, if there are any. The kernel then asks for these hosts by ARP again.
    void remove_neighbours(const std::vector<int>& numbers);

  private:
    int number_;
    int index_;
    Netlink netlink_;
};

enum class Cable { cut, mended };

/// Cut: the bridge silently drops all packets from and to the host. Both ends still see a link
/// (carrier).
void set_cable(Netlink& outer, int number, Cable state);

}  // namespace ductile::cluster
