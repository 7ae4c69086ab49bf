#include "policy/preferred.hpp"

#include "core/counted.hpp"
#include "policy/sizes.hpp"

namespace ductile::policy {

Decision Preferred::decide(const JobView& job, const ClusterView& cluster, double /*now_s*/) {
    Decision decision;
    if (job.preferred < 1) {
        decision.why = "the job has no preferred size";
        return decision;
    }
    auto towards = job;
    if (towards.max == 0 || towards.max > job.preferred) towards.max = job.preferred;
    const auto aim = largest_size(towards, job.preferred);
    if (!aim) {
        decision.why = "the limits allow no size up to the preferred size";
        return decision;
    }
    decision.why = "the preferred size is " + std::to_string(*aim);
    if (*aim < job.ranks) decision.ranks = aim;
    if (*aim <= job.ranks) return decision;
    const auto room = core::counted(job.free_slots, "slot") + " of the job and " +
                      core::counted(cluster.idle_hosts, "host") + " are free";
    decision.ranks = grown_with(towards, cluster.idle_hosts);
    decision.why += (decision.ranks ? "; " : "; only ") + room;
    return decision;
}

}  // namespace ductile::policy
