// The downward pass of shrink-and-hash at one process (balanced-spanning-trees, section VI-B), and
// how a member learns its neighbours afterwards (VI-C).
#pragma once

#include <optional>

#include "tree/messages.hpp"
#include "tree/rank_hash.hpp"

namespace ductile::tree {

/// Gives each branch of a colour its first rank, one branch after the other, starting with `first`.
/// Size and label are those that this process was told.
void hand_ranks(const std::vector<Branch>& branches, int first, const Ranks& told, Outbox& out);

/// A member, from the moment when it knows its rank until it knows its neighbours.
class HashedMember {
  public:
    HashedMember(ProcessId self, int branching) : branching_(branching) { position_.self = self; }

    /// Registers the rank with its intermediaries.
    void take_rank(const Ranks& told, const RankHash& hash, Outbox& out);
    void on(const ParentIs& message) {
        position_.parent = message.parent;
        ++told_;
    }
    void on(const ChildrenAre& message);

    /// The member's position, once its parent and all children are known.
    [[nodiscard]] std::optional<TreePosition> position() const;
    [[nodiscard]] std::size_t bytes() const {
        return sizeof(*this) + position_.children.capacity() * sizeof(Child);
    }

  private:
    int branching_;
    int awaited_ = -1;  // number of answers that will come; -1 while the rank is unknown
    int told_ = 0;
    TreePosition position_;
};

}  // namespace ductile::tree
