// The cluster's network: a bridge in the outer network namespace, which is also the head's
// interface, a cable (veth pair) from it to each host, and the table of neighbours of each.
#pragma once

#include <sys/types.h>

#include <vector>

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

/// The interface of a host or of the head, and its table of neighbours (ARP).
class Interface {
  public:
    /// In the network namespace of the host, after plug_host, or of the head. Works from any
    /// namespace later. The network namespace lives at least as long as this.
    explicit Interface(int number);
    /// Makes permanent entries for these hosts. The kernel limits the entries that it learns, for
    /// all namespaces of the machine together (1,024: net.ipv4.neigh.default.gc_thresh3). Some 40
    /// hosts that all talk to each other need more. Permanent entries do not count.
    void add_neighbours(const std::vector<int>& numbers);
    /// Removes the entries, where there are any: the kernel asks for these hosts by ARP again.
    void remove_neighbours(const std::vector<int>& numbers);

  private:
    int number_;
    int index_;
    Netlink netlink_;
};

enum class Cable { cut, mended };

/// Cut: the bridge drops whatever comes from and goes to the host, silently; both ends still see a
/// launcher_group.
void set_cable(Netlink& outer, int number, Cable state);

}  // namespace ductile::cluster
