// The policy `efficiency`: the job has as many hosts as it uses well. The measure is that of
// talp (docs/bibliography.md). Pure.
#pragma once

#include <map>
#include <optional>

#include "policy/policy.hpp"

namespace ductile::policy {

/// Above `target + band` the job grows by the slots of one host: first by its free slots, then on
/// idle hosts. If there are fewer slots, or if its limits allow fewer, it grows by fewer. Below
/// `target - band` it gives one host up, but never shrinks below its min. If its limits do not
/// allow a step of one host, the step has as few hosts as possible. Between the two bounds, and
/// while the efficiency at its size is not known, the job keeps its size.
///
/// The job does not oscillate: when the efficiency at a size was below `target - band`, the job
/// does not grow to this size or a larger one for `not_again_s`.
class Efficiency final : public Policy {
  public:
    static constexpr double not_again_s = 600;

    explicit Efficiency(const EfficiencyGoal& goal) : goal_(goal) {}

    Decision decide(const JobView& job, const ClusterView& cluster, double now_s) override;

  private:
    [[nodiscard]] Decision grow(const JobView& job, int idle_hosts) const;
    /// The efficiency as text. A small change does not change the text, so that equal decisions in
    /// a row stay equal.
    [[nodiscard]] std::string shown(const JobView& job);

    EfficiencyGoal goal_;
    std::map<int, double> too_large_s_;  ///< by size: when it was last found too large
    int shown_ranks_ = 0;
    double shown_ = 0;
};

}  // namespace ductile::policy
