// The policy `natural` for one job that knows of no other malleable job. Pure.
#pragma once

#include "policy/policy.hpp"
#include "policy/site.hpp"

namespace ductile::policy {

/// What a site of this one job would decide. See SitePolicy.
class Natural final : public Policy {
  public:
    static constexpr double start_within_s = SitePolicy::start_within_s;
    static constexpr double again_after_s = SitePolicy::again_after_s;
    static constexpr double longest_s = SitePolicy::longest_s;

    Decision decide(const JobView& job, const ClusterView& cluster, double now_s) override {
        return site_.decide({.job = {}, .view = job, .again_s = always}, {cluster, {}}, now_s);
    }

  private:
    static constexpr double always = 1e12;  ///< the job is never forgotten
    static constexpr double settled_s = 0;  ///< it asks seldom enough

    SitePolicy site_{SharingKind::natural, settled_s};
};

}  // namespace ductile::policy
