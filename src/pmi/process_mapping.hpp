// The value of the key PMI_process_mapping: which ranks of a world share a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ductile::pmi {

/// Consecutive ranks of a world on one machine.
struct RanksOnNode {
    int node = 0;   ///< equal numbers mean one machine; any numbers, they are only compared
    int ranks = 0;  ///< at least 0
    bool operator==(const RanksOnNode&) const = default;
};

/// `(vector,(first_node,nodes,ranks),...)`: each block gives `ranks` consecutive ranks to each of
/// `nodes` machines, beginning with machine `first_node`. Machines are numbered anew from 0, in the
/// order in which they first appear. An MPI reads the blocks again from the first one until all
/// ranks have a machine; this mapping names each rank, so nothing is read twice.
///
/// Example: one rank on machine 5, two ranks each on machines 7 and 9, then one more on machine 5:
/// {{5, 1}, {7, 2}, {9, 2}, {5, 1}} gives `(vector,(0,1,1),(1,2,2),(0,1,1))`: rank 0 is on machine
/// 0, ranks 1 and 2 on machine 1, ranks 3 and 4 on machine 2, rank 5 on machine 0. Two agents on
/// one machine, {{0, 2}, {0, 3}}, are one node: `(vector,(0,1,5))`.
///
/// The mapping must be true: ranks on one machine that are said to be on two hang in MPI.
/// \param nodes in the order of the ranks.
/// \return nothing for a world without ranks, and nothing where the text is longer than
/// limits::mapping_bytes: an MPI without this key compares the machines' names.
std::optional<std::string> process_mapping(const std::vector<RanksOnNode>& nodes);

}  // namespace ductile::pmi
