// The intermediary of shrink-and-hash at one process: who has a rank, and who its children are.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The entry of one rank of one group (section VI-C). The exchange as printed does not meet: the
/// child writes to H(parent) while the parent writes to H(child). Here each member writes to
/// H(its rank) and, unless it is the root, to H(its parent's rank), with its rank; once all have
/// written, H answers the member of that rank with its children (one message, if it has any) and
/// each child with its parent: 3 m - 2 + ceil((m - 1) / k) messages in all.
class RankDirectory {
  public:
    explicit RankDirectory(Colour colour) : colour_(colour) {}

    void on_register(ProcessId from, const Register& message, Outbox& out);

    /// Who has the rank, once known: it stays known for as long as the group lives.
    [[nodiscard]] std::optional<ProcessId> holder() const { return holder_; }
    [[nodiscard]] Colour colour() const { return colour_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] std::size_t bytes() const {
        return sizeof(*this) + children_.capacity() * sizeof(Child);
    }

  private:
    Colour colour_;
    int rank_ = -1;
    std::optional<ProcessId> holder_;
    std::vector<Child> children_;
};

/// The entries that one process keeps for one enrolment: at most one a colour.
class RankDirectories {
  public:
    void on_register(ProcessId from, const Register& message, Outbox& out);
    /// Who has this rank of the colour's group; nothing if it is not kept here or not known yet.
    [[nodiscard]] std::optional<ProcessId> holder(Colour colour, int rank) const;
    /// The group is gone at the member of that rank.
    void forget(Colour colour, int rank);
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<RankDirectory> entries_;
};

}  // namespace ductile::tree
