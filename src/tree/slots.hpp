// Shrink-and-balance at one vertex: who becomes its children, and which vertices move where, as
// arithmetic on subtree sizes (Algorithm 1 of balanced-spanning-trees).
#pragma once

#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The children that a vertex will have: at most k, each with at most `capacity` vertices below and
/// including it.
///
/// Where Algorithm 1 and its text leave it open, this is what we do. All sizes are decided when the
/// vertex starts, from counts alone, so each child knows its final size and its ranks at once; of
/// what is still on its way only the tops are unknown. A piece that arrives is placed at once, so
/// no list grows with the pieces and nobody waits in a ring:
/// - The largest own pieces become children. One that is larger than the capacity keeps its top and
///   supplies what is over.
/// - What is over goes whole to the child with the most room or to a new child; else it is split.
/// - Vertices on their way to this vertex fill new children first: a piece that becomes a child
///   needs no other message than any child's.
class Slots {
  public:
    /// What a vertex starts with.
    struct Start {
        ProcessId self;
        std::vector<Piece> pieces;  ///< what is below it
        std::vector<Supply> owed;   ///< what it was asked to supply
        int incoming = 0;           ///< vertices on their way to it
        int branching = 0;          ///< k
        int capacity = 0;           ///< vertices that a child's subtree may have
        int first = 0;              ///< rank of the first child; ranks are given in preorder
        Balance child;  ///< what all children are told: colour, size, label, level, height
    };
    /// Decides the children, tells those that are known, and sends off what is owed. Throws
    /// std::logic_error where the vertices do not fit: owed <= vertices in pieces, and vertices in
    /// pieces + incoming - owed <= k * capacity, hold in every tree.
    Slots(Start start, Outbox& out);

    struct Slot {
        std::optional<ProcessId> head;
        int target = 0;  ///< vertices that its subtree will have
        int due = 0;     ///< of these, what this vertex is still to give it
        int first = 0;   ///< its rank
        bool operator==(const Slot&) const = default;
    };

    /// A piece of what was on its way has arrived: it becomes a child, or is handed to one, or is
    /// split among several. Throws std::logic_error if nothing is to come any more.
    void place(Piece piece, Outbox& out);

    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
    /// Whether all children are known and nothing is to come.
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
