// The intermediary of shrink-and-hash at one process: which process has a rank, and which processes
// are the children of that rank.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"

namespace ductile::tree {

/// The entry of one rank of one group (balanced-spanning-trees, section VI-C). In the exchange that
/// the paper prints, the messages do not meet: the child writes to H(parent), while the parent
/// writes to H(child). Here each member sends its rank to H(its rank), and to H(its parent's rank)
/// unless it is the root. When all these messages have arrived, H sends the list of children to the
/// member with that rank (one message, if it has children) and the parent to each child. These are
/// 3 m - 2 + ceil((m - 1) / k) messages in all.
class RankDirectory {
  public:
    explicit RankDirectory(Colour colour) : colour_(colour) {}

    void on_register(ProcessId from, const Register& message, Outbox& out);

    /// The process that has the rank, once known. It stays known as long as the group lives.
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

/// The entries that one process keeps for one enrolment: at most one for each colour.
class RankDirectories {
  public:
    void on_register(ProcessId from, const Register& message, Outbox& out);
    /// The process that has this rank of the colour's group; nullopt if this process does not keep
    /// the entry of the rank, or does not know the process yet.
    [[nodiscard]] std::optional<ProcessId> holder(Colour colour, int rank) const;
    /// The member with that rank has freed the group.
    void forget(Colour colour, int rank);
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<RankDirectory> entries_;
};

}  // namespace ductile::tree
