// Simulates how a process group is made: the state machines of tree/ over a network with costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/network_costs.hpp"
#include "tree/method.hpp"
#include "tree/tree_check.hpp"

namespace ductile::sim {

struct GroupBuild {
    std::int64_t messages = 0;  ///< counted as in Table II of balanced-spanning-trees
    std::int64_t bytes = 0;     ///< size of these messages
    int longest_chain = 0;      ///< messages of the longest chain in which each one causes the next
    double time_us = 0;  ///< from the start of the initial broadcast to the end of the reduction
    std::size_t most_bytes_held = 0;  ///< the most memory that a process used after any message
    tree::TreeFacts tree;
};

/// Makes the group of these members (one entry for each process) from the group of all processes.
/// The tree of all processes is the balanced tree with the branching of `method`. Checks the result
/// (tree::check_tree). With `measure_memory`, asks a process for its size after each message that
/// it receives. Needs at least one member.
GroupBuild simulate_build(const tree::Method& method, const std::vector<bool>& members,
                          const NetworkCosts& costs, bool measure_memory = false);

/// Draws `count` of 0 .. processes-1 with this seed. Process 0 is always among them. The same
/// arguments give the same members on every machine. Throws std::invalid_argument unless 1 <= count
/// <= processes.
std::vector<bool> draw_members(int processes, int count, unsigned seed);

}  // namespace ductile::sim
