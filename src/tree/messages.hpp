// What the processes say to each other while they build a group.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "tree/label_set.hpp"
#include "tree/tree_position.hpp"

namespace ductile::tree {

/// A member that is a leaf of the shrunken tree so far and may be moved into a hole above it.
struct Candidate {
    ProcessId id;
    int moves = 0;  ///< relocations it has been sent so far

    bool operator==(const Candidate&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(id, moves);
    }
};

/// A subtree of members, as the process that will be above it knows it.
struct Branch {
    Colour colour;
    ProcessId top;                      ///< its root
    int moves = 0;                      ///< relocations `top` has been sent: it waits for all
    int size = 0;                       ///< members in it, those taken out left out
    std::vector<Candidate> candidates;  ///< leaves that were offered to those above
    std::vector<ProcessId> taken;       ///< of those, what was taken out: `top` is still to be told

    bool operator==(const Branch&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, top, moves, size, candidates, taken);
    }
};

/// Upward pass: the members below and including the sender, one branch for each colour. Empty
/// where there are none.
struct Enrolled {
    std::vector<Branch> branches;
    LabelSet labels;  ///< in use at one of these processes
    bool operator==(const Enrolled&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(branches, labels);
    }
};

/// How a filler leaves its old place.
enum class Filling : std::int32_t {
    leaf,   ///< the old place is gone: nothing was below it
    child,  ///< it moves up with what is below it, and its siblings become its children
};

/// From a hole to the member that fills it.
struct Relocation {
    Colour colour;
    int level = 0;  ///< of the hole, so that relocations may arrive in any order
    Filling filling = Filling::leaf;
    std::vector<Branch> adopted;  ///< what comes below the filler
    bool root = false;            ///< the hole was the root of the parent group: the rest holds
    int moves = 0;                ///< root: as in Branch
    int size = 0;                 ///< root: members of the new group
    int label = 0;                ///< root: of the new group

    bool operator==(const Relocation&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, level, filling, adopted, root, moves, size, label);
    }
};

/// Downward pass of shrink-and-hash: the first rank for the receiver's subtree.
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

/// Shrink-and-hash, to H(rank) and to H(parent of rank): who has this rank.
struct Register {
    Colour colour;
    int place = 0;      ///< the rank that the receiver keeps the entry of
    int rank = 0;       ///< the sender's: `place` itself, or a child of it
    int size = 0;       ///< members of the new group
    int branching = 0;  ///< k, since the receiver may know nothing of the group

    bool operator==(const Register&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, place, rank, size, branching);
    }
};

/// From H(rank) to the member of that rank: its children, by rank.
struct ChildrenAre {
    Colour colour;
    std::vector<ProcessId> children;
    bool operator==(const ChildrenAre&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, children);
    }
};

/// From H(rank) to each child of that rank: its parent.
struct ParentIs {
    Colour colour;
    ProcessId parent;
    bool operator==(const ParentIs&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, parent);
    }
};

/// Downward pass of shrink-and-balance: the sender has taken the receiver for its child.
struct Balance {
    Colour colour;
    int first = 0;  ///< rank of the receiver, the first of its subtree
    int size = 0;   ///< members of the new group
    int label = 0;
    int level = 0;     ///< the receiver's
    int height = 0;    ///< levels that its subtree may have
    int target = 0;    ///< members that its subtree will have
    int incoming = 0;  ///< of these, what is still to be handed to it
    int owes = 0;      ///< members that it has been asked to supply, in all requests
    int moves = 0;
    std::vector<ProcessId> taken;

    bool operator==(const Balance&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, first, size, label, level, height, target, incoming, owes, moves, taken);
    }
};

/// To the top of a subtree that is split: it is to supply so many members of it (Algorithm 1's
/// vertex request, sent on the consumer's behalf).
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

/// A subtree that changes hands.
struct Piece {
    ProcessId top;
    int moves = 0;
    int size = 0;  ///< without what it owes
    int owes = 0;  ///< members that `top` has been asked to supply so far
    std::vector<ProcessId> taken;

    bool operator==(const Piece&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(top, moves, size, owes, taken);
    }
};

/// From a supplier to a consumer, or from a consumer to the child that is to have it.
struct Handed {
    Colour colour;
    Piece piece;
    bool operator==(const Handed&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, piece);
    }
};

/// A member of a roster, in the centralized algorithm.
struct Enlisted {
    Colour colour;
    ProcessId id;
    bool operator==(const Enlisted&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, id);
    }
};

/// Centralized, upwards: the members at and below the sender.
struct Roster {
    std::vector<Enlisted> members;
    LabelSet labels;  ///< as in Enrolled
    bool operator==(const Roster&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(members, labels);
    }
};

/// Centralized, downwards: the members of the receiver's subtree, the receiver first.
struct Part {
    Colour colour;
    int first = 0;  ///< rank of the receiver
    int size = 0;   ///< members of the new group
    int label = 0;
    int level = 0;
    bool root = false;  ///< from the root of the parent group: the receiver has no parent
    std::vector<ProcessId> members;

    bool operator==(const Part&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour, first, size, label, level, root, members);
    }
};

/// The initial broadcast over the parent group's tree: begin. Not counted by Table II.
struct Begin {
    bool operator==(const Begin&) const = default;
    template <class Archive>
    void fields(Archive&) {}
};

/// The completion reduction over the new tree: all is built at and below the sender. Not counted.
struct Done {
    Colour colour;
    bool operator==(const Done&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(colour);
    }
};

/// New kinds are added at the end: the index goes over the wire.
using Message = std::variant<Begin, Done, Enrolled, Relocation, Ranks, Register, ChildrenAre,
                             ParentIs, Balance, Supply, Handed, Roster, Part>;

struct Send {
    ProcessId to;
    Message message;
    bool operator==(const Send&) const = default;
};
/// What a step of a state machine wants sent, in this order.
using Outbox = std::vector<Send>;

}  // namespace ductile::tree
