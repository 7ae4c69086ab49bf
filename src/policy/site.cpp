#include "policy/site.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

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

int rounded_up(int number, int divisor) {
    return number / divisor + (number % divisor > 0 ? 1 : 0);
}

/// The hosts for so many ranks.
int hosts_for(int ranks, const JobView& job) {
    return rounded_up(ranks, std::max(1, job.slots_per_host));
}

int held(SiteJobId job, const SiteView& seen) {
    const auto has = seen.hosts.find(job);
    return has == seen.hosts.end() ? 0 : has->second;
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

/// How many of so many further hosts the job could use.
int useful(const JobView& job, int hosts) {
    int used = 0;
    while (const auto step = next_step(job, used, hosts - used)) used += *step;
    return used;
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
    hear(question, seen, now_s);
    follow_gift(question.job, seen, now_s);
    auto decision = next(question.job, seen, now_s);
    if (gift_ && gift_->tasks.empty()) decision.raised = gift_->for_job;
    return decision;
}

void SitePolicy::hear(const SiteQuestion& question, const SiteView& seen, double now_s) {
    constexpr double late_s = 5;
    std::erase_if(jobs_, [now_s](const auto& one) { return now_s > one.second.known_until_s; });
    std::erase_if(troubles_, [now_s](const auto& one) {
        return now_s - one.second.last_s > longest_s + again_after_s;
    });
    if (const auto before = jobs_.find(question.job); before != jobs_.end()) {
        const auto& was = before->second;
        if (was.taken > 0 && question.view.ranks <= was.view.ranks && !seen.hosts.empty())
            is_in_trouble(question.job, &Trouble::grows_from_s, now_s);
        else if (was.taken > 0)
            troubles_.erase(question.job);
    }
    jobs_[question.job] = {.view = question.view,
                           .again_s = question.again_s,
                           .asks_until_s = now_s + question.again_s + late_s,
                           .known_until_s = now_s + 2 * question.again_s + late_s};
}

void SitePolicy::fail(Chance& chance, double now_s, double first_pause_s) {
    chance.idle_since_s.reset();
    chance.not_before_s = now_s + doubled(first_pause_s, chance.failures++);
}

void SitePolicy::is_in_trouble(SiteJobId job, double Trouble::*from_s, double now_s) {
    auto& trouble = troubles_[job];
    trouble.last_s = now_s;
    trouble.*from_s = now_s + doubled(start_within_s, trouble.failures++);
}

bool SitePolicy::may(double Trouble::*from_s, SiteJobId job, double now_s) const {
    const auto trouble = troubles_.find(job);
    return trouble == troubles_.end() || now_s >= trouble->second.*from_s;
}

void SitePolicy::drop_gift(SiteJobId because_of, double now_s) {
    if (jobs_.size() > 1 || !jobs_.contains(because_of))
        is_in_trouble(because_of, &Trouble::gives_from_s, now_s);
    else
        fail(chances_[gift_->for_job], now_s, start_within_s);
    gift_.reset();
}

void SitePolicy::follow_parts(SiteJobId asker, const SiteView& seen, double now_s) {
    for (auto& part : gift_->parts) {
        if (part.state == Part::State::given) continue;
        const bool is_told = part.state == Part::State::told;
        if (!seen.hosts.empty() && is_told && held(part.job, seen) + part.hosts <= part.old_hosts)
            part.state = Part::State::given;  // or the job has ended
        else if (is_told && part.job == asker) {
            // It asks again, so its resize has ended.
            if (jobs_.at(asker).view.ranks >= part.old_ranks) return drop_gift(asker, now_s);
            part.state = Part::State::given;
        } else if (part.job != asker && (now_s > part.until_s || !jobs_.contains(part.job))) {
            return drop_gift(part.job, now_s);
        }
        if (part.state == Part::State::given) troubles_.erase(part.job);
    }
}

void SitePolicy::follow_gift(SiteJobId asker, const SiteView& seen, double now_s) {
    if (gift_) follow_parts(asker, seen, now_s);
    if (!gift_) return;
    const bool waits = std::ranges::any_of(seen.cluster.waiting, [this](const WaitingJob& one) {
        return one.id == gift_->for_job && one.tasks == gift_->tasks;
    });
    if (!waits)  // it has started, or was cancelled: nobody need give more
        std::erase_if(gift_->parts,
                      [](const Part& part) { return part.state == Part::State::planned; });
    if (gift_->parts.empty()) return gift_.reset();
    const bool is_complete = std::ranges::all_of(
        gift_->parts, [](const Part& part) { return part.state == Part::State::given; });
    if (!is_complete) return;
    if (!gift_->given_at_s) gift_->given_at_s = now_s;
    const bool hosts_are_used = seen.cluster.idle_hosts < gift_->hosts;
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

int SitePolicy::hosts_missing(SiteJobId job, const SiteView& seen, double now_s) const {
    const auto known = jobs_.find(job);
    if (known == jobs_.end() || now_s >= known->second.waits_until_s) return 0;
    const auto& [taken, before] = std::pair(known->second.taken, known->second.hosts_before);
    return std::clamp(before + taken - held(job, seen), 0, taken);
}

// Idle hosts that jobs were told to take, and that the resource manager still shows as idle.
int SitePolicy::hosts_on_their_way(SiteJobId but, const SiteView& seen, double now_s) const {
    int hosts = 0;
    for (const auto& [job, known] : jobs_)
        if (job != but) hosts += hosts_missing(job, seen, now_s);
    return hosts;
}

std::vector<SiteJobId> SitePolicy::givers(SiteJobId asker, double now_s) const {
    std::vector<SiteJobId> givers;
    for (const auto& [job, known] : jobs_)
        if (known.taken == 0 && known.given == 0 && !is_in_gift(job) &&
            may(&Trouble::gives_from_s, job, now_s) &&
            (job == asker || (known.again_s <= asks_within_s && now_s <= known.asks_until_s)))
            givers.push_back(job);
    return givers;
}

// One job, if there is one that can give all: each part costs a resize. Otherwise jobs give in
// turn, always the one with most hosts left. Empty if the jobs cannot give so many hosts.
std::vector<SitePolicy::Part> SitePolicy::parts_for(int hosts, const std::vector<SiteJobId>& givers,
                                                    SiteJobId asker) const {
    const auto part_of = [&](SiteJobId job, int given) {
        return Part{.job = job, .hosts = given, .until_s = jobs_.at(job).asks_until_s};
    };
    /// The job as it is after its next step.
    struct Step {
        int hosts_left;
        bool is_asker;
        SiteJobId job;
        auto operator<=>(const Step&) const = default;
    };
    std::set<Step> steps;
    for (const auto job : givers)
        if (const auto rest = without_hosts(jobs_.at(job).view, hosts))
            steps.insert({rest->hosts, job == asker, job});
    if (!steps.empty()) return {part_of(steps.rbegin()->job, hosts)};

    std::map<SiteJobId, int> given;
    const auto next_of = [&](SiteJobId job) {
        const auto rest = without_hosts(jobs_.at(job).view, given[job] + 1);
        if (rest) steps.insert({rest->hosts, job == asker, job});
    };
    for (const auto job : givers) next_of(job);
    int in_all = 0;
    while (in_all < hosts) {
        if (steps.empty()) return {};
        const auto step = *steps.rbegin();
        steps.erase(step);
        const int now = returnable_after(jobs_.at(step.job).view, step.hosts_left);
        in_all += now - std::exchange(given[step.job], now);
        next_of(step.job);
    }
    std::vector<Part> parts;
    for (const auto& [job, hosts_given] : given)
        if (hosts_given > 0) parts.push_back(part_of(job, hosts_given));
    return parts;
}

Decision SitePolicy::give(Part& part, const std::string& why, const SiteView& seen, double now_s) {
    auto& known = jobs_.at(part.job);
    const auto rest = without_hosts(known.view, part.hosts);
    if (!rest) {  // it has changed since the plan
        drop_gift(part.job, now_s);
        Decision stays;
        stays.why = "hosts that it was to give up are no longer there";
        return stays;
    }
    part.state = Part::State::told;
    part.old_ranks = known.view.ranks;
    part.old_hosts = held(part.job, seen);
    part.until_s = known.known_until_s = now_s + resize_within_s;
    Decision decision;
    decision.ranks = rest->ranks;
    decision.hosts = rest->hosts;
    decision.for_job = gift_->for_job;
    decision.why = why;
    return decision;
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
                            seen, now_s);
    int idle = std::max(0, cluster.idle_hosts - hosts_on_their_way(job, seen, now_s));
    const auto may_give = givers(job, now_s);
    int most = 0;  // that the malleable jobs could give up
    for (const auto giver : may_give) most += returnable_after(jobs_.at(giver).view, 0);
    int looked_at = 0;
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
        if (one.hosts - idle > most || ++looked_at > most_looked_at) continue;
        auto parts = parts_for(one.hosts - idle, may_give, job);
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
                        seen, now_s);
        idle = 0;
        others = waits(one) + ", which another job gives up";
    }
    return grow(job, idle, others, seen, now_s);
}

// The next idle host is for the job with the fewest hosts.
int SitePolicy::share_of(SiteJobId asker, int idle, double now_s) const {
    struct Level {
        int hosts;
        bool is_other;
        SiteJobId job;
        auto operator<=>(const Level&) const = default;
    };
    std::set<Level> levels;
    std::map<SiteJobId, int> shares;
    for (const auto& [job, known] : jobs_)
        if (known.taken == 0 && known.given == 0 && !is_in_gift(job) &&
            (job == asker || may(&Trouble::grows_from_s, job, now_s)))
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
    struct Steps {
        int size = 1;  ///< hosts that it takes at a time
        int most = std::numeric_limits<int>::max();
    };
    std::set<Level> levels;
    std::map<SiteJobId, int> averages;
    std::map<SiteJobId, Steps> steps;
    int pool = idle;
    for (const auto& [job, known] : jobs_) {
        const auto& view = known.view;
        const int hosts = number_of_hosts(view), multiple = std::max(1, view.multiple);
        const int least_ranks = rounded_up(std::max(1, view.min), multiple) * multiple;
        const int least = std::min(hosts, hosts_for(least_ranks, view));
        pool += hosts - least;
        averages[job] = least;
        steps[job].size = hosts_for(multiple, view);
        if (view.max > 0) steps[job].most = std::max(hosts_for(view.max, view), least);
        levels.insert({least, -hosts, job});
    }
    while (pool > 0 && !levels.empty()) {
        auto level = *levels.begin();
        levels.erase(levels.begin());
        const auto& step = steps[level.job];
        if (level.hosts + step.size > step.most || step.size > pool) continue;
        pool -= step.size;
        averages[level.job] = level.hosts += step.size;
        levels.insert(level);
    }
    return averages;
}

std::optional<OnFewerHosts> SitePolicy::down_to_average(SiteJobId asker, int idle,
                                                        double now_s) const {
    if (now_s < no_average_before_s_) return std::nullopt;
    const auto wanted = averages(idle);
    int missing = -idle;
    // What one of the others can begin with. A job that gave less would take it back.
    int least_step = std::numeric_limits<int>::max();
    for (const auto& [job, known] : jobs_) {
        if (job == asker || !may(&Trouble::grows_from_s, job, now_s)) continue;
        const int fewer = wanted.at(job) - number_of_hosts(known.view) - known.taken;
        if (fewer <= 0) continue;
        missing += useful(known.view, fewer);
        if (const auto step = next_step(known.view, known.taken, fewer))
            least_step = std::min(least_step, *step);
    }
    const auto& view = jobs_.at(asker).view;
    const int spare = std::min(missing, number_of_hosts(view) - wanted.at(asker));
    for (int given = spare; given > 0; --given) {
        const auto rest = without_hosts(view, given);
        if (rest && rest->hosts >= wanted.at(asker) &&
            idle + returnable_after(view, rest->hosts) >= least_step)
            return rest;
    }
    return std::nullopt;
}

Decision SitePolicy::grow(SiteJobId job, int idle, const std::string& others, const SiteView& seen,
                          double now_s) {
    auto& known = jobs_.at(job);
    const auto& view = known.view;
    Decision decision;
    const int share = share_of(job, idle, now_s);
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
    known.hosts_before = held(job, seen);
    if (decision.ranks) {
        no_average_before_s_ = 0;
        known.taken = share;
        known.waits_until_s = now_s + std::chrono::duration<double>(hosts_within).count();
        known.known_until_s = now_s + resize_within_s;
        return decision;
    }
    if (kind_ != SharingKind::average || gift_) return decision;
    if (const auto rest = down_to_average(job, idle, now_s)) {
        constexpr double idle_within_s = 30;
        decision.ranks = rest->ranks;
        decision.hosts = rest->hosts;
        decision.why = others + "; other jobs have fewer hosts, and need " +
                       std::to_string(number_of_hosts(view) - rest->hosts) + " of its hosts";
        known.given = returnable_after(view, rest->hosts);
        no_average_before_s_ = now_s + idle_within_s;
        known.known_until_s = now_s + resize_within_s;
    }
    return decision;
}

}  // namespace ductile::policy
