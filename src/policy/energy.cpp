#include "policy/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/counted.hpp"

namespace ductile::policy {

namespace {

std::string in_short(double value) {
    return value < 100 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

double Energy::cost_of(const PointCost& point) const {
    return point.joules * std::pow(point.seconds, goal_.delay_weight);
}

JobView Energy::narrowed(JobView job) const {
    const auto close = [&job](int ranks) {
        if (ranks < job.ranks) job.min = std::max(job.min, ranks + 1);
        if (ranks > job.ranks && (job.max == 0 || ranks <= job.max)) job.max = ranks - 1;
    };
    for (const auto& [ranks, size] : sizes_)
        if (size.is_closed) close(ranks);
    for (const auto& [ranks, failed_s] : failed_s_) close(ranks);
    return job;
}

bool Energy::is_good(int ranks) const {
    double least = sizes_.at(ranks).cost;
    for (const auto& [other, size] : sizes_)
        if (!size.is_closed) least = std::min(least, size.cost);
    return !sizes_.at(ranks).is_closed && sizes_.at(ranks).cost <= least * (1 + good_within);
}

void Energy::leave(int ranks, double now_s) {
    auto& size = sizes_.at(ranks);
    std::erase_if(size.left_s, [now_s](double left_s) { return now_s - left_s >= not_again_s; });
    size.left_s.push_back(now_s);
    size.is_closed = !is_good(ranks) || size.left_s.size() >= most_visits;
}

bool Energy::is_known(int from, int to) const {
    const auto next = sizes_.lower_bound(from);
    return next != sizes_.end() && next->first <= to;
}

int Energy::best_known() const {
    const int smallest = sizes_.begin()->first;
    if (sizes_.at(smallest).has_smaller && is_good(smallest)) return smallest;
    int best = smallest;
    for (const auto& [ranks, size] : sizes_)
        if (is_good(ranks)) best = ranks;
    return best;
}

std::string Energy::shown(const JobView& job) {
    constexpr double small_change = 0.1;
    const auto& now = *job.point_cost;
    const auto changed = [](double before, double after) {
        return std::abs(after - before) > small_change * before;
    };
    if (shown_ranks_ != job.ranks || changed(shown_.seconds, now.seconds) ||
        changed(shown_.joules, now.joules))
        shown_ = now;
    shown_ranks_ = job.ranks;
    return fmt::format("an iteration takes about {} s and {} J", in_short(shown_.seconds),
                       in_short(shown_.joules));
}

Decision Energy::decide(const JobView& job, const ClusterView& cluster, double now_s) {
    std::erase_if(
        sizes_, [now_s](const auto& one) { return now_s - one.second.measured_s >= not_again_s; });
    std::erase_if(failed_s_,
                  [now_s](const auto& one) { return now_s - one.second >= not_after_failure_s; });
    if (const auto step = std::exchange(step_, {}); step && step->from == job.ranks)
        failed_s_[step->to] = now_s;
    Decision decision;
    if (!job.point_cost) {
        decision.why = "the energy of an iteration at this size is not known yet";
        if (!job.no_power.empty()) decision.why += ": " + job.no_power;
        return decision;
    }
    const auto allowed = narrowed(job);
    const auto larger = grown_by_a_host(allowed, cluster.idle_hosts);
    // 0: the job also gives up a host that others cannot use.
    const auto smaller = without_hosts(allowed, 0);
    auto& size = sizes_[job.ranks];
    size = {cost_of(*job.point_cost), now_s, smaller.has_value(), false, std::move(size.left_s)};
    const bool good = is_good(job.ranks);
    const auto measured = shown(job);
    const auto stay = [&](const std::string& why) {
        decision.why = measured + why;
        return decision;
    };
    const auto go_to = [&](int ranks, std::optional<int> hosts, const std::string& why) {
        decision.ranks = ranks;
        decision.hosts = hosts;
        step_ = Step{job.ranks, ranks};
        return stay(why);
    };
    const auto unknown = [](int ranks) {
        return fmt::format("; the cost at {} is not known yet", core::counted(ranks, "rank"));
    };
    if (good && larger && !is_known(job.ranks + 1, *larger))
        return go_to(*larger, {}, unknown(*larger));
    const int best = best_known();
    if (best == job.ranks && smaller && !is_known(smaller->ranks, job.ranks - 1))
        return go_to(smaller->ranks, smaller->hosts, unknown(smaller->ranks));
    if (best == job.ranks) return stay("; no size next to it costs less");
    const auto better =
        fmt::format("; {} cost {}", core::counted(best, "rank"), good ? "about as much" : "less");
    const bool is_possible = best < job.ranks ? smaller.has_value() : larger.has_value();
    if (is_possible) leave(job.ranks, now_s);
    if (best < job.ranks && smaller) return go_to(smaller->ranks, smaller->hosts, better);
    if (best > job.ranks && larger) return go_to(*larger, {}, better);
    return stay(better + ", but that size is not possible now");
}

}  // namespace ductile::policy
