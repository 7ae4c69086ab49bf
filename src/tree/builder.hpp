// One process of a parent group while new groups are made out of it: the three algorithms as one
// state machine.
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

/// Takes messages in and says what to send; holds no clock, no MPI, and nothing that grows with the
/// groups (centralized excepted). Messages between two processes must arrive in the order in which
/// they were sent; nothing else is assumed of their order.
class Builder {
  public:
    /// `position` is this process's in the parent group; `own` its colour, none for a process that
    /// is in no new group. Throws as require_possible.
    Builder(const Method& method, TreePosition position, std::optional<Colour> own,
            const HashFamily& hashes);

    /// This process enrols: it has been told, or has come, to begin. The new groups' label is the
    /// lowest that no process of the parent group has in use.
    void start(Outbox& out, const LabelSet& labels = {});
    /// Register is not for a builder: RankDirectories takes it, in any process of the job.
    /// Throws std::logic_error for messages that no builder of the same method sends here.
    void on_message(ProcessId from, Message message, Outbox& out);

    /// The position in the new group, once known; never for a process without a colour.
    [[nodiscard]] const std::optional<TreePosition>& position() const { return built_; }
    /// The position in the parent group.
    [[nodiscard]] const TreePosition& position_in_parent() const { return position_; }
    /// Whether this process's own part in the upward pass is over. With a filler and in the
    /// centralized algorithm nobody writes to a process without a colour after that.
    [[nodiscard]] bool enrolled() const { return enrolled_; }
    /// Whether nobody will write to this process any more about this enrolment.
    [[nodiscard]] bool finished() const {
        return enrolled_ && branches_.empty() && (!own_ || built_);
    }
    /// What it holds now, heap included.
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
    std::size_t reports_ = 0;       // children of the parent's tree that have reported
    std::vector<Branch> branches_;  // what they reported; later, what goes through a hole
    std::vector<Enlisted> roster_;  // centralized
    ShrunkenPlace place_;
    std::optional<Ranks> ranks_;  // hash: told, not yet acted upon
    HashedMember hashed_;
    BalancingVertex balancing_;
    std::optional<TreePosition> built_;
};

}  // namespace ductile::tree
