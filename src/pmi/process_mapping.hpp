// The value of the key PMI_process_mapping: which ranks of a world share a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ductile::pmi {

/// Consecutive ranks of a world on one machine.
struct RanksOnNode {
    int node = 0;   ///< equal numbers mean one machine; numbers are only compared
    int ranks = 0;  ///< at least 0
    bool operator==(const RanksOnNode&) const = default;
};

/// `(vector,(first_node,nodes,ranks),...)`: each block gives `ranks` consecutive ranks to each of
/// `nodes` machines, beginning with machine `first_node`. Machines are renumbered from 0, in the
/// order in which they first appear. If a world has more ranks than the blocks have, an MPI starts
/// again with the first block. This mapping has all ranks, so no block is used twice.
///
/// Example: one rank on machine 5, two ranks each on machines 7 and 9, then one more on machine 5:
/// {{5, 1}, {7, 2}, {9, 2}, {5, 1}} gives `(vector,(0,1,1),(1,2,2),(0,1,1))`: rank 0 is on machine
/// 0, ranks 1 and 2 on machine 1, ranks 3 and 4 on machine 2, rank 5 on machine 0. Two agents on
/// one machine, {{0, 2}, {0, 3}}, are one node: `(vector,(0,1,5))`.
///
/// The mapping must be true. If it puts ranks of one machine on two machines, these ranks hang in
/// MPI.
/// \param nodes in the order of the ranks.
/// \return nullopt for a world without ranks, and if the text is longer than limits::mapping_bytes.
/// Without this key an MPI compares the names of the machines.
std::optional<std::string> process_mapping(const std::vector<RanksOnNode>& nodes);

}  // namespace ductile::pmi
