// The making of one small group, level by level: what Figures 1 to 4 of balanced-spanning-trees
// show.
#pragma once

#include <optional>
#include <vector>

#include "tree/messages.hpp"
#include "tree/method.hpp"

namespace ductile::sim {

/// A process in a drawn tree.
struct StagedVertex {
    tree::ProcessId id;
    int depth = 0;                 ///< 0 for the root
    bool member = false;           ///< else a hole
    std::optional<int> size = {};  ///< counted: members at and below it
    std::optional<int> rank = {};
    bool operator==(const StagedVertex&) const = default;
};

/// A hole that a member was moved into.
struct FilledHole {
    tree::ProcessId hole;
    tree::ProcessId filler;
    tree::Filling filling = tree::Filling::leaf;
    bool operator==(const FilledHole&) const = default;
};

/// Leaves that a process named to the one above it (leaf filler).
struct Offer {
    tree::ProcessId by;
    std::vector<tree::ProcessId> leaves;
    bool operator==(const Offer&) const = default;
};

enum class StageKind {
    original,  ///< the parent group's tree, members and holes
    shrunk,    ///< the processes of one level have spoken, and filled their holes
    counted,   ///< all have spoken, and nothing was moved: no filler, or centralized
    ranked,    ///< shrink-and-hash: ranks, where the upward pass left the members
    built,     ///< the new group's tree
};

/// A tree at one moment.
struct Stage {
    StageKind kind = StageKind::original;
    int level = 0;                      ///< shrunk: which level has spoken
    std::vector<FilledHole> filled;     ///< shrunk: by that level's holes
    std::vector<tree::ProcessId> gone;  ///< shrunk: that level's holes with no member below
    std::vector<Offer> offers;          ///< shrunk: what that level offered upwards
    std::vector<StagedVertex> tree;     ///< each vertex before what is below it
};

struct StagedBuild {
    tree::Method method;
    int n = 0;
    int m = 0;
    int messages = 0;  ///< as Table II counts
    std::vector<Stage> stages;
};

/// Makes the group of these members (one entry a process) with the state machines of tree/, the
/// upward pass a level at a time from below, and records the tree after each level that has a hole.
/// What is recorded is read off the messages and the positions. Throws std::invalid_argument
/// without a member, and as tree::require_possible.
StagedBuild build_in_stages(const tree::Method& method, const std::vector<bool>& members);

}  // namespace ductile::sim
