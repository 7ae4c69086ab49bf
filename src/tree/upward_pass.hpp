// The upward pass (balanced-spanning-trees, sections V-A and VI-A): what a process tells the
// process above it, after all processes below it have reported.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"
#include "tree/method.hpp"

namespace ductile::tree {

/// The most candidates that a process at this level offers: d_{i+1,k} of the paper, one for each
/// process on the way to the root, including itself.
inline std::size_t candidates_at(int level) {
    return static_cast<std::size_t>(level) + 1;
}

/// The result at one process, from the messages of all its children.
struct Shrunk {
    Enrolled upwards;          ///< for the process above; at the root: the sizes of the new groups
    std::vector<Branch> kept;  ///< what stays below this process, of each colour that it keeps
    Outbox relocations;        ///< to fillers
};

/// One step of the upward pass, for all colours together. `branches`: all that the children of this
/// process sent. `own`: the colour of this process; nullopt for a process that is in no new group.
///
/// A member keeps the branches of its colour, and offers their leaves upwards. For any other colour
/// the process is a hole. With a filler, the hole picks a member, sends it what is below the hole,
/// and immediately names it to the process above (section V-A: on behalf of the filler).
/// LoneBranch::passed_on is an exception. The leaf filler takes a candidate from the largest branch
/// that has one, which keeps the tree even. If no branch has a candidate, it takes the top of the
/// largest branch, like the child filler. The paper does not say what happens to a filler that is
/// alone below the hole: here it is a leaf again, and is offered as a leaf.
Shrunk shrink_at(const TreePosition& position, std::optional<Colour> own,
                 std::vector<Branch> branches, Filler filler, LoneBranch lone);

/// The number of members of one colour at and below a process: equation (8).
int size_of(const std::vector<Branch>& branches, Colour colour);

/// Notes the members that processes above have taken out of these branches. Each is removed from
/// the candidates and the size of its branch, and is added to the branch's `taken`. A branch that
/// becomes empty is dropped. Throws std::logic_error for a process that no branch has offered.
void take_out(std::vector<Branch>& branches, const std::vector<ProcessId>& taken);

}  // namespace ductile::tree
