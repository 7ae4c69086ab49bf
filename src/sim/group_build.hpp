// The making of a process group, simulated: the state machines of tree/ over a network with costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/network_costs.hpp"
#include "tree/method.hpp"
#include "tree/tree_check.hpp"

namespace ductile::sim {

struct GroupBuild {
    std::int64_t messages = 0;  ///< as Table II counts
    std::int64_t bytes = 0;     ///< of these messages
    int longest_chain = 0;      ///< most of them that had to go one after the other
    double time_us = 0;  ///< from the start of the initial broadcast to the end of the reduction
    std::size_t most_bytes_held = 0;  ///< the most that a process held after any message
    tree::TreeFacts tree;
};

/// Makes the group of these members (one entry a process) out of the group of all processes, whose
/// tree is the balanced one with the same branching. The result is checked (tree::check_tree).
/// `measure_memory` asks every process for its size after every message. At least one member.
GroupBuild simulate_build(const tree::Method& method, const std::vector<bool>& members,
                          const NetworkCosts& costs, bool measure_memory = false);

/// `count` of 0 .. processes-1 drawn with this seed, process 0 among them; the same for each
/// method. Throws std::invalid_argument unless 1 <= count <= processes.
std::vector<bool> draw_members(int processes, int count, unsigned seed);

}  // namespace ductile::sim
