// Hosts and their cores, as the resource manager granted them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::core {

/// A host that a job may use. `slots` is how many ranks of the job it may hold.
struct Host {
    std::string name;
    int slots = 1;
    bool operator==(const Host&) const = default;
};

/// Vector A of parallel-spawning-strategies, section 4.2, with the hosts' names. Its order is the
/// order in which hosts are filled; a host's position is its HostIndex.
struct Allocation {
    std::vector<Host> hosts;

    [[nodiscard]] int total_slots() const;
    [[nodiscard]] const Host& at(HostIndex host) const;
    bool operator==(const Allocation&) const = default;
};

/// Slots by host; none of them 0.
using SlotCounts = std::map<HostIndex, int>;

}  // namespace ductile::core
