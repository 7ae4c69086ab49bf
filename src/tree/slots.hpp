// Shrink-and-balance at one vertex: which vertices become its children, and which vertices move
// where. It is arithmetic on subtree sizes (Algorithm 1 of balanced-spanning-trees).
#pragma once

#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The children that a vertex will have: at most k. Each has at most `capacity` vertices at and
/// below it.
///
/// Algorithm 1 and its text leave some choices open. We choose the following. The vertex decides
/// all sizes when it starts, from counts alone, so each child knows its final size and its ranks
/// immediately. Of the pieces that are still on their way to this vertex, only the tops are
/// unknown. A piece is placed as soon as it arrives. So no list grows with the number of pieces,
/// and no processes wait for each other in a ring.
/// - The k largest pieces of this vertex become children. A piece that is larger than the capacity
/// keeps its top and supplies the excess.
/// - Each further piece goes to the child with the most room. If it does not fit there, it supplies
/// the excess.
/// - An excess goes whole to one child if possible, and to a new child only if no known child has
/// room for all of it. If no child has room for all of it, it is split.
/// - Vertices on their way to this vertex fill new children first: a piece that becomes a child
/// needs no more messages than any other child.
class Slots {
  public:
    /// The state with which a vertex starts.
    struct Start {
        ProcessId self;
        std::vector<Piece> pieces;  ///< the subtrees below it
        std::vector<Supply> owed;   ///< what it must supply
        int incoming = 0;           ///< number of vertices on their way to it
        int branching = 0;          ///< k
        int capacity = 0;           ///< most vertices of a child's subtree
        int first = 0;              ///< rank of the first child; ranks are given in preorder
        Balance child;  ///< what all children are told: colour, size, label, level, height
    };
    /// Decides the children, tells those that are known, and sends what it must supply. Throws
    /// std::logic_error if the vertices do not fit. In every tree these hold: owed <= vertices in
    /// pieces, and vertices in pieces + incoming - owed <= k * capacity.
    Slots(Start start, Outbox& out);

    struct Slot {
        std::optional<ProcessId> head;
        int target = 0;  ///< vertices that its subtree will have
        int due = 0;     ///< of these, vertices that this vertex must still give it
        int first = 0;   ///< rank of the child
        bool operator==(const Slot&) const = default;
    };

    /// A piece that was on its way has arrived. It becomes a child, is handed to a child, or is
    /// split among several children. Throws std::logic_error if no piece was expected any more.
    void place(Piece piece, Outbox& out);

    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
    /// Whether all children are known and no piece is expected.
    [[nodiscard]] bool complete() const;

  private:
    void supply_owed(std::vector<Piece>& pieces, std::vector<Supply> owed, Outbox& out);
    void spread(Piece& supplier, int amount, Outbox& out);
    void expect(int incoming);
    void order(Piece& supplier, int amount, ProcessId consumer, Outbox& out) const;
    void hand(Piece piece, ProcessId consumer, Outbox& out) const;
    void tell(const Slot& slot, Piece piece, Outbox& out) const;
    [[nodiscard]] int room(const Slot& slot) const { return capacity_ - slot.target; }

    ProcessId self_;
    int capacity_;
    Balance child_;
    std::vector<Slot> slots_;
};

}  // namespace ductile::tree
