// One process of a parent group while it makes new groups. One state machine serves all three
// algorithms.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/messages.hpp"
#include "tree/method.hpp"
#include "tree/rank_hash.hpp"
#include "tree/shrink_and_balance.hpp"
#include "tree/shrink_and_hash.hpp"
#include "tree/shrunken_place.hpp"
#include "tree/upward_pass.hpp"

namespace ductile::tree {

/// Takes messages and returns what to send. It has no clock and no MPI. Its memory does not grow
/// in proportion to the sizes of the groups, except in the centralized algorithm. Messages between
/// two processes must arrive in the order in which they were sent. Any other order of messages is
/// allowed.
class Builder {
  public:
    /// `position`: this process's position in the parent group. `own`: its colour; nullopt for a
    /// process that is in no new group. Throws what require_possible throws.
    Builder(const Method& method, TreePosition position, std::optional<Colour> own,
            const HashFamily& hashes);

    /// This process begins to enrol, on its own or because it was told to. `labels`: the labels
    /// that it uses already. The new groups get the lowest label that no process of the parent
    /// group uses.
    void start(Outbox& out, const LabelSet& labels = {});
    /// Does not take Register: RankDirectories takes it, in any process of the job. Throws
    /// std::logic_error for messages that no builder of the same method sends here.
    void on_message(ProcessId from, Message message, Outbox& out);

    /// The position in the new group, once it is known. A process without a colour never has one.
    [[nodiscard]] const std::optional<TreePosition>& position() const { return built_; }
    /// The position in the parent group.
    [[nodiscard]] const TreePosition& position_in_parent() const { return position_; }
    /// Whether this process has done its own part of the upward pass. A process without a colour
    /// then gets no more messages if the method has a filler or is centralized.
    [[nodiscard]] bool enrolled() const { return enrolled_; }
    /// Whether this process will get no more messages about this enrolment.
    [[nodiscard]] bool finished() const {
        return enrolled_ && branches_.empty() && (!own_ || built_);
    }
    /// The memory that this object uses now, in bytes, heap included.
    [[nodiscard]] std::size_t bytes() const;

  private:
    void on(ProcessId from, Enrolled&& message, Outbox& out);
    void on(ProcessId from, Relocation&& message, Outbox& out);
    void on(ProcessId from, Ranks&& message, Outbox& out);
    void on(ProcessId from, const ChildrenAre& message, Outbox& out);
    void on(ProcessId from, const ParentIs& message, Outbox& out);
    void on(ProcessId from, Balance&& message, Outbox& out);
    void on(ProcessId from, const Supply& message, Outbox& out);
    void on(ProcessId from, Handed&& message, Outbox& out);
    void on(ProcessId from, Roster&& message, Outbox& out);
    void on(ProcessId from, Part&& message, Outbox& out);
    template <class Other>
    void on(ProcessId from, const Other& message, Outbox& out);

    void enrol_if_due(Outbox& out);
    void enrol_centrally(Outbox& out);
    void lead(int size, int moves, int label, Outbox& out);
    void take_ranks_if_due(Outbox& out);
    void step(Outbox& out);

    Method method_;
    TreePosition position_;
    std::optional<Colour> own_;
    HashFamily hashes_;
    bool started_ = false;
    bool enrolled_ = false;
    LabelSet labels_;
    std::size_t reports_ = 0;       // children in the parent group's tree that have reported
    std::vector<Branch> branches_;  // their reports; later, the branches of other colours
    std::vector<Enlisted> roster_;  // centralized
    ShrunkenPlace place_;
    std::optional<Ranks> ranks_;  // hash: received, but not handled yet
    HashedMember hashed_;
    BalancingVertex balancing_;
    std::optional<TreePosition> built_;
};

}  // namespace ductile::tree
