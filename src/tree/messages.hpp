// The messages between processes that build a group.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "tree/label_set.hpp"
#include "tree/tree_position.hpp"

namespace ductile::tree {

/// A member that is still a leaf of the shrunken tree. It may be moved into a hole above it.
struct Candidate {
    ProcessId id;
    int moves = 0;  ///< number of relocations sent to it so far

    bool operator==(const Candidate&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(id, moves);
    }
};

/// A subtree of members, as the process above it knows it.
struct Branch {
    Colour colour;
    ProcessId top;  ///< the root of the subtree
    int moves = 0;  ///< number of relocations sent to `top`, which waits for all of them
    int size = 0;   ///< members in the subtree, without those taken out
    std::vector<Candidate> candidates;  ///< leaves that were offered to the processes above
    std::vector<ProcessId> taken;       ///< leaves that were taken out; `top` does not know it yet

    bool operator==(const Branch&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, top, moves, size, candidates, taken);
    }
};

/// Upward pass: the members at and below the sender, one branch for each colour. Empty if there are
/// no members.
struct Enrolled {
    std::vector<Branch> branches;
    LabelSet labels;  ///< labels that one of these processes uses
    bool operator==(const Enrolled&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(branches, labels);
    }
};

/// How a filler leaves its old place.
enum class Filling : std::int32_t {
    leaf,   ///< the old place is removed: no member was below it
    child,  ///< the filler moves up with its subtree; its siblings become its children
};

/// From a hole to the member that fills it.
struct Relocation {
    Colour colour;
    int level = 0;  ///< level of the hole, so that relocations may arrive in any order
    Filling filling = Filling::leaf;
    std::vector<Branch> adopted;  ///< the subtrees that are put below the filler
    bool root = false;            ///< the hole was the parent group's root: the next fields count
    int moves = 0;                ///< root: as in Branch
    int size = 0;                 ///< root: members of the new group
    int label = 0;                ///< root: of the new group

    bool operator==(const Relocation&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, level, filling, adopted, root, moves, size, label);
    }
};

/// Downward pass of shrink-and-hash: the first rank of the receiver's subtree.
struct Ranks {
    Colour colour;
    int first = 0;
    int size = 0;  ///< members of the new group
    int label = 0;
    int moves = 0;
    std::vector<ProcessId> taken;

    bool operator==(const Ranks&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, first, size, label, moves, taken);
    }
};

/// Shrink-and-hash, sent to H(rank) and to H(parent of rank): which process has this rank.
struct Register {
    Colour colour;
    int place = 0;      ///< the rank whose entry the receiver keeps
    int rank = 0;       ///< the sender's rank: `place` itself, or a child of it
    int size = 0;       ///< members of the new group
    int branching = 0;  ///< k; the receiver may know nothing about the group

    bool operator==(const Register&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, place, rank, size, branching);
    }
};

/// From H(rank) to the member with this rank: its children, by rank.
struct ChildrenAre {
    Colour colour;
    std::vector<ProcessId> children;
    bool operator==(const ChildrenAre&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, children);
    }
};

/// From H(rank) to each child of this rank: the child's parent.
struct ParentIs {
    Colour colour;
    ProcessId parent;
    bool operator==(const ParentIs&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, parent);
    }
};

/// Downward pass of shrink-and-balance: the sender makes the receiver its child.
struct Balance {
    Colour colour;
    int first = 0;  ///< rank of the receiver, which is the first of its subtree
    int size = 0;   ///< members of the new group
    int label = 0;
    int level = 0;     ///< level of the receiver
    int height = 0;    ///< levels that its subtree may have
    int target = 0;    ///< members that its subtree will have
    int incoming = 0;  ///< of these, members that will still be handed to it
    int owes = 0;      ///< members that it must supply, in all requests
    int moves = 0;
    std::vector<ProcessId> taken;

    bool operator==(const Balance&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, first, size, label, level, height, target, incoming, owes, moves, taken);
    }
};

/// To the top of a subtree that is split: it must supply `amount` members (the vertex request of
/// Algorithm 1 of balanced-spanning-trees, sent on the consumer's behalf).
struct Supply {
    Colour colour;
    int amount = 0;
    ProcessId consumer;
    bool operator==(const Supply&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, amount, consumer);
    }
};

/// A subtree that moves to another parent.
struct Piece {
    ProcessId top;
    int moves = 0;
    int size = 0;  ///< members, without those that it must supply
    int owes = 0;  ///< members that `top` must supply, in all requests so far
    std::vector<ProcessId> taken;

    bool operator==(const Piece&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(top, moves, size, owes, taken);
    }
};

/// From a supplier to a consumer, or from a consumer to the child that will hold the piece.
struct Handed {
    Colour colour;
    Piece piece;
    bool operator==(const Handed&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, piece);
    }
};

/// A member of a roster (centralized).
struct Enlisted {
    Colour colour;
    ProcessId id;
    bool operator==(const Enlisted&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, id);
    }
};

/// Centralized, upward: the members at and below the sender.
struct Roster {
    std::vector<Enlisted> members;
    LabelSet labels;  ///< as in Enrolled
    bool operator==(const Roster&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(members, labels);
    }
};

/// Centralized, downward: the members of the receiver's subtree, the receiver first.
struct Part {
    Colour colour;
    int first = 0;  ///< rank of the receiver
    int size = 0;   ///< members of the new group
    int label = 0;
    int level = 0;
    bool root = false;  ///< sent by the root of the parent group: the receiver has no parent
    std::vector<ProcessId> members;

    bool operator==(const Part&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, first, size, label, level, root, members);
    }
};

/// The initial broadcast over the parent group's tree: the receiver begins. Table II of
/// balanced-spanning-trees does not count it.
struct Begin {
    bool operator==(const Begin&) const = default;
    template <class Archive>
    void fields(Archive&) {}
};

/// The completion reduction over the new tree: the tree is complete at and below the sender. Table
/// II does not count it either.
struct Done {
    Colour colour;
    bool operator==(const Done&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour);
    }
};

/// Add new kinds at the end, because the index is sent in messages.
using Message = std::variant<Begin, Done, Enrolled, Relocation, Ranks, Register, ChildrenAre,
                             ParentIs, Balance, Supply, Handed, Roster, Part>;

struct Send {
    ProcessId to;
    Message message;
    bool operator==(const Send&) const = default;
};
/// The messages that a step of a state machine sends, in this order.
using Outbox = std::vector<Send>;

}  // namespace ductile::tree
