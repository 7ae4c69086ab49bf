// The policy `energy`: the job has the size at which its iterations cost least, by energy and time.
// EAR (ear, docs/bibliography.md) chooses the frequency of the processors in this way; here it is
// the number of hosts. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.hpp"
#include "policy/sizes.hpp"

namespace ductile::policy {

/// The cost of a size is `energy * time^delay_weight` from one resize point to the next. If all
/// hosts draw the same power, the size with the least energy-delay product is the knee of
/// eager-knee (docs/bibliography.md): the largest ratio of efficiency to time.
///
/// A size is good if its cost is at most `good_within` above that of the cheapest known size. The
/// job tries sizes in steps of one host, where possible: larger ones while they are good, then
/// smaller ones while they are good. Then it takes the largest good size. The job does not
/// oscillate: it does not come back to a size that it has left because it was not good, or go
/// beyond it, for `not_again_s`. The same holds for a size that it has left for a known one
/// `most_visits` times in this time. After this time it tries again.
class Energy final : public Policy {
  public:
    static constexpr double not_again_s = 600;
    static constexpr double good_within = 0.03;
    static constexpr std::size_t most_visits = 3;
    /// A step that the job was told to make, and did not make, is not tried again for this time.
    static constexpr double not_after_failure_s = 60;

    explicit Energy(const EnergyGoal& goal) : goal_(goal) {}

    Decision decide(const JobView& job, const ClusterView& cluster, double now_s) override;

  private:
    struct Known {
        double cost = 0, measured_s = 0;
        bool has_smaller = false;    ///< the job could go on to a smaller size
        bool is_closed = false;      ///< the job does not come back
        std::vector<double> left_s;  ///< when the job left this size for a known one
    };

    struct Step {
        int from = 0, to = 0;  ///< ranks
    };

    [[nodiscard]] double cost_of(const PointCost& point) const;
    /// The limits of the job, narrowed by sizes that are closed or cannot be reached.
    [[nodiscard]] JobView narrowed(JobView job) const;
    [[nodiscard]] bool is_good(int ranks) const;
    /// The job leaves this size for a known one.
    void leave(int ranks, double now_s);
    /// Whether a size from `from` to `to` is known.
    [[nodiscard]] bool is_known(int from, int to) const;
    /// The known size to which the job should go, or at which it should stay.
    [[nodiscard]] int best_known() const;
    /// As text. A small change does not change the text, so that equal decisions in a row stay
    /// equal.
    [[nodiscard]] std::string shown(const JobView& job);

    EnergyGoal goal_;
    std::map<int, Known> sizes_;      ///< by ranks
    std::map<int, double> failed_s_;  ///< by ranks: when a step to this size failed
    std::optional<Step> step_;        ///< that the job was last told to make
    int shown_ranks_ = 0;
    PointCost shown_;
};

}  // namespace ductile::policy
