#include "policy/site.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "core/counted.hpp"
#include "policy/hosts_within.hpp"

namespace ductile::policy {

namespace {

std::string waits(const WaitingJob& job) {
    return "job " + std::to_string(job.id.value) + " waits for " + core::counted(job.hosts, "host");
}

double doubled(double seconds, int times) {
    constexpr int most_doublings = 20;
    return std::min(std::ldexp(seconds, std::min(times, most_doublings)), SitePolicy::longest_s);
}

int number_of_hosts(const JobView& job) {
    return static_cast<int>(job.hosts.size());
}

/// How many of the hosts after the first `kept` others can use.
int returnable_after(const JobView& job, int kept) {
    return static_cast<int>(std::count_if(job.hosts.begin() + kept, job.hosts.end(),
                                          [](const HostView& host) { return host.is_returnable; }));
}

/// The hosts for so many ranks.
int hosts_for(int ranks, const JobView& job) {
    const int slots = std::max(1, job.slots_per_host);
    return ranks / slots + (ranks % slots > 0 ? 1 : 0);
}

/// With so many further hosts the job could grow to this size; or its present size.
int size_with(const JobView& job, int hosts) {
    return grown_with(job, hosts).value_or(job.ranks);
}

/// The least further hosts, after it has got `hosts`, with which the job could grow more; at most
/// `most`. None if there are none.
std::optional<int> next_step(const JobView& job, int hosts, int most) {
    const int size = size_with(job, hosts);
    if (size_with(job, hosts + most) == size) return std::nullopt;
    int step = 1;
    while (size_with(job, hosts + step) == size) ++step;
    return step;
}

}  // namespace

std::string_view name_of(SharingKind kind) {
    return kind == SharingKind::average ? "average" : "natural";
}

std::optional<SharingKind> sharing_kind_named(std::string_view name) {
    const auto* found = std::ranges::find(all_sharing_kinds, name, name_of);
    return found == all_sharing_kinds.end() ? std::nullopt : std::optional(*found);
}

Decision SitePolicy::decide(const SiteQuestion& question, const SiteView& seen, double now_s) {
    // The resource manager knows best which jobs have ended.
    if (!seen.hosts.empty())
        std::erase_if(jobs_, [&](const auto& one) { return !seen.hosts.contains(one.first); });
    hear(question, now_s);
    follow_gift(question.job, seen.cluster, now_s);
    auto decision = next(question.job, seen, now_s);
    if (gift_ && gift_->tasks.empty()) decision.raised = gift_->for_job;
    return decision;
}

void SitePolicy::hear(const SiteQuestion& question, double now_s) {
    constexpr double late_s = 5;
    std::erase_if(jobs_, [now_s](const auto& one) { return now_s > one.second.known_until_s; });
    jobs_[question.job] = {.view = question.view,
                           .known_until_s = now_s + 2 * question.again_s + late_s};
}

void SitePolicy::fail(Chance& chance, double now_s, double first_pause_s) {
    chance.idle_since_s.reset();
    chance.not_before_s = now_s + doubled(first_pause_s, chance.failures++);
}

void SitePolicy::drop_gift(double now_s) {
    fail(chances_[gift_->for_job], now_s, start_within_s);
    gift_.reset();
}

void SitePolicy::follow_gift(SiteJobId asker, const ClusterView& cluster, double now_s) {
    if (!gift_) return;
    for (auto& part : gift_->parts) {
        if (part.state == Part::State::told && part.job == asker) {
            // It asks again, so its resize has ended.
            if (jobs_.at(asker).view.ranks >= part.old_ranks) return drop_gift(now_s);
            part.state = Part::State::given;
        }
        if (part.state != Part::State::given && part.job != asker && now_s > part.until_s)
            return drop_gift(now_s);
    }
    const bool waits = std::ranges::any_of(cluster.waiting, [this](const WaitingJob& one) {
        return one.id == gift_->for_job && one.tasks == gift_->tasks;
    });
    const bool is_complete = std::ranges::all_of(
        gift_->parts, [](const Part& part) { return part.state == Part::State::given; });
    if (!is_complete) {
        // It has started, or was cancelled, before all parts were given.
        if (!waits && std::ranges::none_of(gift_->parts, [](const Part& part) {
                return part.state == Part::State::told;
            }))
            gift_.reset();
        return;
    }
    if (!gift_->given_at_s) gift_->given_at_s = now_s;
    const bool hosts_are_used = cluster.idle_hosts < gift_->hosts;
    if (!waits && hosts_are_used) {
        failed_gifts_ = 0;
    } else if (waits && now_s - *gift_->given_at_s < start_within_s) {
        return;
    } else {
        fail(chances_[gift_->for_job], now_s, again_after_s);
        no_gift_before_s_ = now_s + doubled(start_within_s, failed_gifts_++);
    }
    gift_.reset();
}

bool SitePolicy::is_in_gift(SiteJobId job) const {
    return gift_ && std::ranges::any_of(gift_->parts, [job](const Part& part) {
               return part.job == job && part.state != Part::State::given;
           });
}

bool SitePolicy::is_growing(SiteJobId job, const SiteView& seen, double now_s) const {
    const auto known = jobs_.find(job);
    if (known == jobs_.end() || known->second.taken == 0) return false;
    const auto has = seen.hosts.find(job);
    const int hosts = has == seen.hosts.end() ? 0 : has->second;
    return now_s < known->second.waits_until_s &&
           hosts < known->second.hosts_before + known->second.taken;
}

// Idle hosts that jobs were told to take, and that the resource manager still shows as idle.
int SitePolicy::hosts_on_their_way(SiteJobId but, const SiteView& seen, double now_s) const {
    int hosts = 0;
    for (const auto& [job, known] : jobs_) {
        if (job == but || !is_growing(job, seen, now_s)) continue;
        const auto has = seen.hosts.find(job);
        const int held = has == seen.hosts.end() ? 0 : has->second;
        hosts += std::min(known.taken, known.hosts_before + known.taken - held);
    }
    return hosts;
}

// One job, if there is one that can give all: each part costs a resize. Otherwise jobs give in
// turn, always the one with most hosts left. Empty if the jobs cannot give so many hosts.
std::vector<SitePolicy::Part> SitePolicy::parts_for(int hosts, SiteJobId asker,
                                                    double now_s) const {
    const auto may_give = [&](SiteJobId job, const Known& known) {
        return known.taken == 0 && known.given == 0 && now_s <= known.known_until_s &&
               !is_in_gift(job);
    };
    const auto part_of = [&](SiteJobId job, int given) {
        return Part{.job = job, .hosts = given, .until_s = jobs_.at(job).known_until_s};
    };
    std::optional<std::tuple<int, bool, SiteJobId>> best;
    for (const auto& [job, known] : jobs_) {
        if (!may_give(job, known)) continue;
        if (const auto rest = without_hosts(known.view, hosts))
            best = std::max(best, std::optional(std::tuple(rest->hosts, job == asker, job)));
    }
    if (best) return {part_of(std::get<SiteJobId>(*best), hosts)};

    std::map<SiteJobId, OnFewerHosts> rests;
    int given = 0;
    while (given < hosts) {
        std::optional<std::tuple<int, bool, SiteJobId>> next;
        for (const auto& [job, known] : jobs_) {
            if (!may_give(job, known)) continue;
            const auto so_far = rests.find(job);
            const int already =
                so_far == rests.end() ? 0 : returnable_after(known.view, so_far->second.hosts);
            const auto rest = without_hosts(known.view, already + 1);
            if (rest)
                next = std::max(next, std::optional(std::tuple(rest->hosts, job == asker, job)));
        }
        if (!next) return {};
        const auto job = std::get<SiteJobId>(*next);
        const auto& view = jobs_.at(job).view;
        const auto so_far = rests.find(job);
        const int already =
            so_far == rests.end() ? 0 : returnable_after(view, so_far->second.hosts);
        const auto rest = *without_hosts(view, already + 1);
        given += returnable_after(view, rest.hosts) - already;
        rests.insert_or_assign(job, rest);
    }
    std::vector<Part> parts;
    for (const auto& [job, rest] : rests)
        parts.push_back(part_of(job, returnable_after(jobs_.at(job).view, rest.hosts)));
    return parts;
}

Decision SitePolicy::give(Part& part, const std::string& why, double now_s) {
    auto& known = jobs_.at(part.job);
    const auto rest = without_hosts(known.view, part.hosts);
    if (!rest) {  // it has changed since the plan
        drop_gift(now_s);
        return {.why = "hosts that it was to give up are no longer there"};
    }
    part.state = Part::State::told;
    part.old_ranks = known.view.ranks;
    part.until_s = known.known_until_s = now_s + resize_within_s;
    return {.ranks = rest->ranks, .hosts = rest->hosts, .for_job = gift_->for_job, .why = why};
}

Decision SitePolicy::next(SiteJobId job, const SiteView& seen, double now_s) {
    const auto& cluster = seen.cluster;
    std::erase_if(chances_, [now_s](const auto& one) {
        return now_s > one.second.not_before_s && now_s - one.second.last_seen_s > again_after_s;
    });
    if (gift_)
        for (auto& part : gift_->parts)
            if (part.job == job && part.state == Part::State::planned)
                return give(part,
                            "job " + std::to_string(gift_->for_job.value) + " waits for " +
                                core::counted(gift_->hosts, "more host"),
                            now_s);
    int idle = std::max(0, cluster.idle_hosts - hosts_on_their_way(job, seen, now_s));
    std::string others = cluster.waiting.empty() ? "no job waits" : "no waiting job can be helped";
    for (const auto& one : cluster.waiting) {
        const auto [it, is_new] = chances_.try_emplace(one.id);
        auto& chance = it->second;
        if (is_new) chance.first_seen_s = now_s;
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
        auto parts = parts_for(one.hosts - idle, job, now_s);
        if (parts.empty()) continue;
        if (is_new || now_s - chance.first_seen_s < settled_s_) {
            idle = 0;
            others = waits(one) + ", and has just come";
            continue;
        }
        gift_ = Gift{one.id, one.tasks, one.hosts - idle, std::move(parts), std::nullopt};
        const auto own = std::ranges::find(gift_->parts, job, &Part::job);
        if (own != gift_->parts.end())
            return give(*own,
                        waits(one) + ", and " + core::counted(idle, "host") +
                            (idle == 1 ? " is idle" : " are idle"),
                        now_s);
        idle = 0;
        others = waits(one) + ", which another job gives up";
    }
    return grow(job, idle, others, seen, now_s);
}

// The next idle host is for the job with the fewest hosts.
int SitePolicy::share_of(SiteJobId asker, int idle) const {
    struct Level {
        int hosts;
        bool is_other;
        SiteJobId job;
        auto operator<=>(const Level&) const = default;
    };
    std::set<Level> levels;
    std::map<SiteJobId, int> shares;
    for (const auto& [job, known] : jobs_)
        if (known.taken == 0 && known.given == 0 && !is_in_gift(job))
            levels.insert({number_of_hosts(known.view), job != asker, job});
    while (idle > 0 && !levels.empty()) {
        auto level = *levels.begin();
        levels.erase(levels.begin());
        auto& share = shares[level.job];
        const auto step = next_step(jobs_.at(level.job).view, share, idle);
        if (!step) continue;
        share += *step;
        idle -= *step;
        level.hosts += *step;
        levels.insert(level);
    }
    return shares[asker];
}

// How many hosts each job would have if all hosts of malleable jobs, and the idle ones, were shared
// equally. A host that is left over stays with a job that has it.
std::map<SiteJobId, int> SitePolicy::averages(int idle) const {
    struct Level {
        int hosts;
        int fewer_now;  ///< the job with most hosts comes first
        SiteJobId job;
        auto operator<=>(const Level&) const = default;
    };
    std::set<Level> levels;
    std::map<SiteJobId, int> averages, most;
    int pool = idle;
    for (const auto& [job, known] : jobs_) {
        const auto& view = known.view;
        const int hosts = number_of_hosts(view);
        const int least = std::min(hosts, hosts_for(std::max(1, view.min), view));
        pool += hosts - least;
        averages[job] = least;
        most[job] = view.max > 0 ? std::max(hosts_for(view.max, view), least)
                                 : std::numeric_limits<int>::max();
        levels.insert({least, -hosts, job});
    }
    while (pool > 0 && !levels.empty()) {
        auto level = *levels.begin();
        levels.erase(levels.begin());
        if (level.hosts >= most[level.job]) continue;
        --pool;
        averages[level.job] = ++level.hosts;
        levels.insert(level);
    }
    return averages;
}

std::optional<OnFewerHosts> SitePolicy::down_to_average(SiteJobId asker, int idle) const {
    const auto wanted = averages(idle);
    int missing = -idle;
    for (const auto& [job, known] : jobs_) {
        if (job == asker) continue;
        missing += std::max(0, wanted.at(job) - number_of_hosts(known.view) - known.taken);
        missing -= known.given;
    }
    const auto& view = jobs_.at(asker).view;
    const int spare = std::min(missing, number_of_hosts(view) - wanted.at(asker));
    for (int given = spare; given > 0; --given) {
        const auto rest = without_hosts(view, given);
        if (rest && rest->hosts >= wanted.at(asker)) return rest;
    }
    return std::nullopt;
}

Decision SitePolicy::grow(SiteJobId job, int idle, const std::string& others, const SiteView& seen,
                          double now_s) {
    auto& known = jobs_.at(job);
    const auto& view = known.view;
    Decision decision;
    const int share = share_of(job, idle);
    const auto room = core::counted(view.free_slots, "slot") + " of the job and " +
                      core::counted(idle, "host") + " are free";
    decision.ranks = grown_with(view, share);
    const bool at_limit = largest_size(view, std::numeric_limits<int>::max()) <= view.ranks;
    decision.why = others + "; " +
                   (decision.ranks ? room
                    : at_limit     ? "the limits allow no larger size"
                                   : "only " + room);
    if (share < idle && jobs_.size() > 1 && !at_limit)
        decision.why += ", " + std::to_string(share) + " for this job";
    const auto has = seen.hosts.find(job);
    known.hosts_before = has == seen.hosts.end() ? 0 : has->second;
    if (decision.ranks) {
        known.taken = share;
        known.waits_until_s = now_s + std::chrono::duration<double>(hosts_within).count();
        known.known_until_s = now_s + resize_within_s;
        return decision;
    }
    if (kind_ != SharingKind::average || gift_) return decision;
    if (const auto rest = down_to_average(job, idle)) {
        decision.ranks = rest->ranks;
        decision.hosts = rest->hosts;
        decision.why = others + "; other jobs have fewer hosts, and need " +
                       std::to_string(number_of_hosts(view) - rest->hosts) + " of its hosts";
        known.given = returnable_after(view, rest->hosts);
        known.known_until_s = now_s + resize_within_s;
    }
    return decision;
}

}  // namespace ductile::policy
