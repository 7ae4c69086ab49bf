// The downward pass of shrink-and-balance at one member (balanced-spanning-trees, section V-B).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"
#include "tree/method.hpp"
#include "tree/shrunken_place.hpp"
#include "tree/slots.hpp"

namespace ductile::tree {

/// A member, from the moment when it knows its parent until it knows its children. It starts when
/// all relocations and all requests that were sent to it have arrived. Pieces that arrive earlier
/// wait.
class BalancingVertex {
  public:
    BalancingVertex(ProcessId self, int branching, Slack slack)
        : self_(self), branching_(branching), slack_(slack) {}

    /// Sets its place in the new tree, as the parent says. The root calls this for itself.
    void take_place(std::optional<ProcessId> parent, Balance told) {
        parent_ = parent;
        told_ = std::move(told);
    }
    void owe(Supply supply) { owed_.push_back(supply); }
    void receive(Piece piece) { early_.push_back(std::move(piece)); }

    /// Does everything that is possible now.
    void step(ShrunkenPlace& place, Outbox& out);
    /// The member's position, once its parent and all children are known.
    [[nodiscard]] std::optional<TreePosition> position() const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    void start(ShrunkenPlace& place, Outbox& out);

    ProcessId self_;
    int branching_;
    Slack slack_;
    std::optional<ProcessId> parent_;
    std::optional<Balance> told_;
    std::vector<Supply> owed_;
    std::vector<Piece> early_;
    std::optional<Slots> slots_;
};

}  // namespace ductile::tree
