#include "policy/natural.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counted.hpp"
#include "policy/sizes.hpp"

namespace ductile::policy {

namespace {

std::string waits(const WaitingJob& job) {
    return "job " + std::to_string(job.id.value) + " waits for " + core::counted(job.hosts, "host");
}

double doubled(double seconds, int times) {
    constexpr int most_doublings = 20;
    return std::min(std::ldexp(seconds, std::min(times, most_doublings)), Natural::longest_s);
}

Decision grow(const JobView& job, int idle, const std::string& others) {
    Decision decision;
    const auto room = core::counted(job.free_slots, "slot") + " of the job and " +
                      core::counted(idle, "host") + " are free";
    decision.ranks = grown_with(job, idle);
    const bool at_limit = largest_size(job, std::numeric_limits<int>::max()) <= job.ranks;
    decision.why = others + "; " +
                   (decision.ranks ? room
                    : at_limit     ? "the limits allow no larger size"
                                   : "only " + room);
    return decision;
}

}  // namespace

void Natural::fail(Chance& chance, double now_s, double first_pause_s) {
    chance.idle_since_s.reset();
    chance.not_before_s = now_s + doubled(first_pause_s, chance.failures++);
}

void Natural::follow_gift(const JobView& job, const ClusterView& cluster, double now_s) {
    if (!gift_) return;
    auto& chance = chances_[gift_->for_job];
    if (!gift_->given_at_s) {
        if (job.ranks >= gift_->old_ranks) {  // the shrink was not carried out
            fail(chance, now_s, start_within_s);
            return gift_.reset();
        }
        gift_->given_at_s = now_s;
    }
    const bool waits = std::ranges::any_of(cluster.waiting, [this](const WaitingJob& one) {
        return one.id == gift_->for_job && one.tasks == gift_->tasks;
    });
    const bool hosts_are_used = cluster.idle_hosts < gift_->hosts;
    if (!waits && hosts_are_used) {
        failed_gifts_ = 0;
    } else if (waits && now_s - *gift_->given_at_s < start_within_s) {
        return;
    } else {
        fail(chance, now_s, again_after_s);
        no_gift_before_s_ = now_s + doubled(start_within_s, failed_gifts_++);
    }
    gift_.reset();
}

Decision Natural::decide(const JobView& job, const ClusterView& cluster, double now_s) {
    follow_gift(job, cluster, now_s);
    auto decision = next(job, cluster, now_s);
    if (gift_ && gift_->tasks.empty()) decision.raised = gift_->for_job;
    return decision;
}

Decision Natural::next(const JobView& job, const ClusterView& cluster, double now_s) {
    std::erase_if(chances_, [now_s](const auto& one) {
        return now_s > one.second.not_before_s && now_s - one.second.last_seen_s > again_after_s;
    });
    int idle = cluster.idle_hosts;
    std::string others = cluster.waiting.empty() ? "no job waits" : "no waiting job can be helped";
    for (const auto& one : cluster.waiting) {
        const auto [it, is_new] = chances_.try_emplace(one.id);
        auto& chance = it->second;
        chance.last_seen_s = now_s;
        if (chance.tasks != one.tasks) chance.idle_since_s.reset();  // a task has started
        chance.tasks = one.tasks;
        if (gift_ && gift_->for_job == one.id) {
            idle = 0;  // the hosts given up for this waiting job become idle one by one
            others = waits(one) + ", which were given up for it";
            continue;
        }
        if (now_s < chance.not_before_s) continue;
        if (one.hosts <= idle) {
            if (!chance.idle_since_s) chance.idle_since_s = now_s;
            if (now_s - *chance.idle_since_s >= start_within_s) {
                fail(chance, now_s, again_after_s);
                continue;
            }
            idle -= one.hosts;
            others = waits(one) + ", and they are idle";
            continue;
        }
        chance.idle_since_s.reset();
        if (gift_ || now_s < no_gift_before_s_) continue;
        const auto rest = without_hosts(job, one.hosts - idle);
        if (!rest) continue;
        if (is_new) {
            idle = 0;
            others = waits(one) + ", and has just come";
            continue;
        }
        gift_ = Gift{one.id, one.tasks, job.ranks, one.hosts - idle, std::nullopt};
        return {rest->ranks, rest->hosts, one.id,
                waits(one) + ", and " + core::counted(idle, "host") +
                    (idle == 1 ? " is idle" : " are idle")};
    }
    return grow(job, idle, others);
}

}  // namespace ductile::policy
