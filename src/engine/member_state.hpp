// The role of this process in the job, and the data that the program has registered.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "data/parts.hpp"
#include "engine/agent_channel.hpp"
#include "engine/hooks.hpp"
#include "engine/membership.hpp"
#include "engine/peers.hpp"
#include "engine/preparation.hpp"

namespace ductile::engine {

/// What failed resizes have done to this process.
struct Health {
    /// A helper is stuck inside MPI, or MPI holds memory that is gone.
    bool degraded = false;
    /// A resize was rolled back after its join had begun, so MPI_Finalize would abort. The same on
    /// all ranks of a group. The link's thread sets it, too.
    std::atomic<bool> skip_finalize{false};
};

/// Only the program's thread changes the membership. Any thread may use is_leader(), `preparation`
/// and `health.skip_finalize` at any time. The link's thread uses the rest only for an early vote,
/// or when the broker orders a start or a join: the program's thread is in no switch then.
class MemberState {
  public:
    MemberState(AgentChannel& link, Peers& peers, std::shared_ptr<data::Registry> registry,
                std::shared_ptr<const Hooks> hooks, core::Process self)
        : preparation(link, hooks, self),
          link_(link),
          peers_(peers),
          registry_(std::move(registry)),
          hooks_(std::move(hooks)) {}

    [[nodiscard]] bool is_member() const { return static_cast<bool>(membership_.comms.job); }
    [[nodiscard]] const Membership& membership() const { return membership_; }
    [[nodiscard]] int rank() const { return place_.rank; }
    [[nodiscard]] int size() const { return place_.size; }
    /// This process is the job's rank 0.
    [[nodiscard]] bool is_leader() const { return is_leader_; }
    [[nodiscard]] data::Registry& registry() { return *registry_; }
    [[nodiscard]] const Hooks& hooks() const { return *hooks_; }

    /// `call` runs before each change of the membership: the old communicators still exist.
    void before_new_membership(std::function<void()> call) { before_new_ = std::move(call); }
    void become(Membership membership);
    /// This process is no member any more. `rest`: if it parks, what it needs to come back.
    void step_back(Membership rest);
    /// The process parks or leaves: it is not the leader any more, and reports no progress.
    void fall_asleep();
    void leave();
    /// After a failed switch: a new switch duplicate. A stuck helper may use the old one.
    void renew_switching();

    void adopt_parts(const std::vector<data::Block>& parts) {
        old_parts_ = data::adopt_parts(*registry_, parts);
    }
    /// Nothing uses the old parts any more. To free much memory takes long, so another thread does
    /// it.
    void drop_old_parts();

    Health health;
    Preparation preparation;

  private:
    AgentChannel& link_;
    Peers& peers_;
    std::shared_ptr<data::Registry> registry_;
    std::shared_ptr<const Hooks> hooks_;
    Membership membership_;
    std::vector<data::Block> old_parts_;
    std::function<void()> before_new_ = [] {};
    ductile::Place place_{0, 0};  ///< in the job
    std::atomic<bool> is_leader_{false};
};

}  // namespace ductile::engine
