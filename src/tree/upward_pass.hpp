// The upward pass (balanced-spanning-trees, sections V-A and VI-A): what a process tells the one
// above it once all below it have spoken.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"
#include "tree/method.hpp"

namespace ductile::tree {

/// The candidates that a process at this level offers at most: d_{i+1,k} of the paper, one for
/// each process on the way to the root, itself counted.
inline std::size_t candidates_at(int level) {
    return static_cast<std::size_t>(level) + 1;
}

/// What follows at one process from all of its children's messages.
struct Shrunk {
    Enrolled upwards;          ///< for the process above; of no use at the root
    std::vector<Branch> kept;  ///< what stays below this process, of each colour it keeps
    Outbox relocations;        ///< to fillers
};

/// One step of the upward pass, for all colours at once. `branches` are all that the children of
/// this process sent; `own` is its colour, none for a process that is in no new group.
///
/// A member keeps the branches of its colour and offers the leaves among them upwards. For any
/// other colour it is a hole: with a filler, it picks one, sends it what is below the hole, and
/// names the filler upwards at once (section V-A: on behalf of the filler). Leaf filler takes a
/// candidate from the largest branch, which keeps the tree even; if the lists are empty though
/// members are there, the top of the largest branch, as with child filler. Where the paper is
/// silent: a filler that is alone below the hole is a leaf again, and offered as one.
Shrunk shrink_at(const TreePosition& position, std::optional<Colour> own,
                 std::vector<Branch> branches, Filler filler, LoneBranch lone);

/// The members of one colour below and at a process: equation (8).
int size_of(const std::vector<Branch>& branches, Colour colour);

/// Takes note of members that processes above have taken out of these branches: each is struck from
/// the candidates and the size of its branch, and written into the branch's `taken`. A branch that
/// becomes empty is dropped. Throws std::logic_error for a process that no branch had offered.
void take_out(std::vector<Branch>& branches, const std::vector<ProcessId>& taken);

}  // namespace ductile::tree
