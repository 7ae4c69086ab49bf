// Makes one small group level by level, as Figures 1 to 4 of balanced-spanning-trees show it.
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
    bool member = false;           ///< false: a hole
    std::optional<int> size = {};  ///< for stage `counted`: members at and below this vertex
    std::optional<int> rank = {};
    bool operator==(const StagedVertex&) const = default;
};

/// A hole into which a member was moved.
struct FilledHole {
    tree::ProcessId hole;
    tree::ProcessId filler;
    tree::Filling filling = tree::Filling::leaf;
    bool operator==(const FilledHole&) const = default;
};

/// Leaves that a process named to the process above it (leaf filler).
struct Offer {
    tree::ProcessId by;
    std::vector<tree::ProcessId> leaves;
    bool operator==(const Offer&) const = default;
};

enum class StageKind {
    original,  ///< the tree of the parent group, with members and holes
    shrunk,    ///< the processes of one level have reported, and the holes of this level are filled
    counted,   ///< all have reported, and no member was moved: no filler, or centralized
    ranked,    ///< shrink-and-hash: members have ranks, and are where the upward pass left them
    built,     ///< the tree of the new group
};

/// A tree at one moment.
struct Stage {
    StageKind kind = StageKind::original;
    int level = 0;                      ///< shrunk: the level that has reported
    std::vector<FilledHole> filled;     ///< shrunk: holes of that level that were filled
    std::vector<tree::ProcessId> gone;  ///< shrunk: holes of that level without a member below
    std::vector<Offer> offers;          ///< shrunk: leaves that the level offered upwards
    std::vector<StagedVertex> tree;     ///< each vertex comes before those below it
};

struct StagedBuild {
    tree::Method method;
    int n = 0;
    int m = 0;
    int messages = 0;  ///< counted as in Table II
    std::vector<Stage> stages;
};

/// Makes the group of these members (one entry for each process) with the state machines of tree/.
/// Runs the upward pass one level at a time, from the lowest level. If holes are filled, records
/// the tree after each level that has a hole. Takes the records from the messages and the
/// positions. Throws std::invalid_argument if there is no member, and what tree::require_possible
/// throws.
StagedBuild build_in_stages(const tree::Method& method, const std::vector<bool>& members);

}  // namespace ductile::sim
