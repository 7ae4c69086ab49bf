// The policy `preferred`: the job has its preferred size whenever there are hosts for it. Pure.
#pragma once

#include "policy/policy.hpp"

namespace ductile::policy {

/// The job grows towards its preferred size as hosts become idle. A larger job shrinks to its
/// preferred size. If its limits do not allow the preferred size, the largest smaller size that
/// they allow takes its place. The policy does not look at waiting jobs. The job keeps its size if
/// it has no preferred size, or if its limits allow no size up to the preferred size.
class Preferred final : public Policy {
  public:
    Decision decide(const JobView& job, const ClusterView& cluster, double now_s) override;
};

}  // namespace ductile::policy
