// What this process is in the job, and the data that the program has given into the job's care.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "data/parts.hpp"
#include "engine/agent_channel.hpp"
#include "engine/hooks.hpp"
#include "engine/membership.hpp"
#include "engine/preparation.hpp"

namespace ductile::engine {

/// What failed resizes have done to this process.
struct Health {
    /// A helper is stuck inside MPI, or MPI holds memory that is gone.
    bool degraded = false;
    /// A resize was rolled back after its join had begun; the same on all ranks of a group, whose
    /// MPI_Finalize would abort. The link's thread sets it, too.
    std::atomic<bool> skip_finalize{false};
};

/// Of the program's thread, but for is_leader().
class MemberState {
  public:
    MemberState(AgentChannel& link, std::shared_ptr<data::Registry> registry,
                std::shared_ptr<const Hooks> hooks, core::Process self)
        : preparation(link, hooks, self),
          link_(link),
          registry_(std::move(registry)),
          hooks_(std::move(hooks)) {}

    [[nodiscard]] bool is_member() const { return static_cast<bool>(membership_.comms.job); }
    [[nodiscard]] const Membership& membership() const { return membership_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    /// It is the job's rank 0.
    [[nodiscard]] bool is_leader() const { return is_leader_; }
    [[nodiscard]] data::Registry& registry() { return *registry_; }
    [[nodiscard]] const Hooks& hooks() const { return *hooks_; }

    /// Called when a resize is committed, while the communicators that end are still there.
    void before_new_membership(std::function<void()> call) { before_new_ = std::move(call); }
    void become(Membership membership);
    /// It takes no part in the job any more; `rest` is what it needs to come back, if it may.
    void step_back(Membership rest);
    /// Its resize point returns no more, or not soon.
    void fall_asleep();
    void leave();
    /// After a switch that was given up: what a stuck helper may use is left to it.
    void renew_switching();

    void adopt_parts(const std::vector<data::Block>& parts) {
        old_parts_ = data::adopt_parts(*registry_, parts);
    }
    /// Nothing else uses the parts of before any more. To give back much memory takes long, so
    /// another thread does it.
    void drop_old_parts();

    Health health;
    Preparation preparation;

  private:
    AgentChannel& link_;
    std::shared_ptr<data::Registry> registry_;
    std::shared_ptr<const Hooks> hooks_;
    Membership membership_;
    std::vector<data::Block> old_parts_;
    std::function<void()> before_new_ = [] {};
    int rank_ = 0;
    int size_ = 0;
    std::atomic<bool> is_leader_{false};
};

}  // namespace ductile::engine
