// Hosts and their cores, as the resource manager granted them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::core {

/// A host that a job may use. `slots`: how many ranks of the job it may hold.
struct Host {
    std::string name;
    int slots = 1;
    int max_slots = 0;  ///< the most ranks and processes of the job, children included; 0: no limit
    bool operator==(const Host&) const = default;
};

/// Vector A of parallel-spawning-strategies, section 4.2, with the hosts' names. Hosts are filled
/// in this order. The position of a host is its HostIndex.
struct Allocation {
    std::vector<Host> hosts;

    [[nodiscard]] int total_slots() const;
    [[nodiscard]] const Host& at(HostIndex host) const;
    bool operator==(const Allocation&) const = default;
};

/// The slots of each host. No value is 0.
using SlotCounts = std::map<HostIndex, int>;

}  // namespace ductile::core
