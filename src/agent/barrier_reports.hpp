// What an agent has told its broker about the barriers of a group. The agent repeats these reports
// to a broker that takes the job over.
#pragma once

#include <deque>
#include <functional>

#include "pmi/world_messages.hpp"
#include "wire/from_agent_messages.hpp"
#include "wire/pmi_messages.hpp"

namespace ductile::agent {

class BarrierReports {
  public:
    using Tell = std::function<void(const wire::FromAgent&)>;

    explicit BarrierReports(core::GroupId group) : group_(group) {}

    void report(const pmi::BarrierReached& barrier, const Tell& tell) {
        reached_.push_back({group_, barrier.round.value, wire::to_fields(barrier.keys)});
        if (reached_.size() > 2) reached_.pop_front();
        tell(reached_.back());
    }
    void report(const pmi::LeftBarriers& barriers, const Tell& tell) {
        have_left_ = true;
        tell(wire::LeftBarriers{group_, wire::to_fields(barriers.keys)});
    }
    void report_again(const Tell& tell) const {
        for (const auto& barrier : reached_) tell(barrier);
        if (have_left_) tell(wire::LeftBarriers{group_, {}});
    }

  private:
    core::GroupId group_;
    /// The last two barriers. Ranks may wait in the last one. Another host may not know yet that
    /// the one before is over.
    std::deque<wire::BarrierReached> reached_;
    bool have_left_ = false;
};

}  // namespace ductile::agent
