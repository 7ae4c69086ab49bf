#include "policy/efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counted.hpp"
#include "policy/sizes.hpp"

namespace ductile::policy {

std::string Efficiency::shown(const JobView& job) {
    constexpr double small_change = 0.03;
    if (shown_ranks_ != job.ranks || std::abs(*job.efficiency - shown_) > small_change)
        shown_ = *job.efficiency;
    shown_ranks_ = job.ranks;
    return fmt::format("the efficiency is about {:.2f}", shown_);
}

Decision Efficiency::grow(const JobView& job, int idle_hosts) const {
    Decision decision;
    const auto larger = grown_by_a_host(job, idle_hosts);
    if (too_large_s_.empty()) {
        decision.ranks = larger;
    } else if (const int below = too_large_s_.begin()->first - 1; below > job.ranks) {
        auto allowed = job;
        if (allowed.max == 0 || allowed.max > below) allowed.max = below;
        decision.ranks = grown_by_a_host(allowed, idle_hosts);
    }
    const auto room = core::counted(job.free_slots, "slot") + " of the job and " +
                      core::counted(idle_hosts, "host") + " are free";
    if (decision.ranks)
        decision.why = room;
    else if (larger)
        decision.why = fmt::format("at {} it was too low less than {:.0f} s ago",
                                   core::counted(too_large_s_.begin()->first, "rank"), not_again_s);
    else if (largest_size(job, std::numeric_limits<int>::max()) <= job.ranks)
        decision.why = "the limits allow no larger size";
    else
        decision.why = "only " + room;
    return decision;
}

Decision Efficiency::decide(const JobView& job, const ClusterView& cluster, double now_s) {
    std::erase_if(too_large_s_,
                  [now_s](const auto& one) { return now_s - one.second >= not_again_s; });
    Decision decision;
    if (!job.efficiency) {
        decision.why = "the efficiency at this size is not known yet";
        return decision;
    }
    const auto efficiency = shown(job);
    const double low = goal_.target - goal_.band;
    const double high = goal_.target + goal_.band;
    if (*job.efficiency > high) {
        decision = grow(job, cluster.idle_hosts);
        decision.why = fmt::format("{}, above {:.2f}; {}", efficiency, high, decision.why);
        return decision;
    }
    if (*job.efficiency >= low) {
        decision.why = fmt::format("{}, between {:.2f} and {:.2f}", efficiency, low, high);
        return decision;
    }
    too_large_s_[job.ranks] = now_s;
    decision.why = fmt::format("{}, below {:.2f}", efficiency, low);
    // 0: the job also gives up a host that others cannot use.
    if (const auto rest = without_hosts(job, 0)) {
        decision.ranks = rest->ranks;
        decision.hosts = rest->hosts;
    } else {
        decision.why += "; the limits allow no smaller size";
    }
    return decision;
}

}  // namespace ductile::policy
