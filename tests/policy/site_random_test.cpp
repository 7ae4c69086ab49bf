// Jobs of a site share a cluster with rigid jobs, in any order of events.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

#include "policy/site.hpp"
#include "views_of_jobs.hpp"

namespace ductile::policy::site_random_test {
namespace {

constexpr double step_s = 5;

struct Rigid {
    WaitingJob job;
    int ends_in = 0;  ///< steps, once it runs
};

/// A cluster whose scheduler starts the first waiting jobs that fit. A job whose priority is raised
/// comes first.
class Cluster {
  public:
    Cluster(SharingKind kind, std::vector<JobView> jobs, int idle)
        : hosts_(idle), idle_(idle), jobs_(std::move(jobs)), policy_(kind) {
        for (const auto& view : jobs_) hosts_ += view.ranks;
    }
    void submit(int hosts, int steps) {
        waiting_.push_back({{WaitingJobId{++last_id_}, hosts, {}}, steps});
    }
    void schedule() {
        for (auto it = running_.begin(); it != running_.end();)
            if (--it->ends_in <= 0) {
                idle_ += it->job.hosts;
                it = running_.erase(it);
            } else {
                ++it;
            }
        for (auto it = waiting_.begin(); it != waiting_.end();)
            if (it->job.hosts <= idle_) {
                idle_ -= it->job.hosts;
                running_.push_back(*it);
                it = waiting_.erase(it);
            } else {
                ++it;
            }
    }
    /// A job asks, and does as it is told, unless it `fails`. Returns whether it was resized.
    bool ask(std::size_t which, double now_s, bool fails = false) {
        auto& view = jobs_.at(which);
        SiteView seen{{idle_, {}}, {}};
        for (const auto& one : waiting_) seen.cluster.waiting.push_back(one.job);
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            seen.hosts[id_of(i)] = static_cast<int>(jobs_[i].hosts.size());
        const auto decision = policy_.decide({id_of(which), view, step_s}, seen, now_s);
        if (!decision.ranks || fails) return false;
        RC_ASSERT(*decision.ranks != view.ranks);
        RC_ASSERT(*decision.ranks >= view.min && *decision.ranks <= view.max);
        RC_ASSERT(*decision.ranks % std::max(1, view.multiple) == 0);
        idle_ += view.ranks - *decision.ranks;
        RC_ASSERT(idle_ >= 0);  // it does not grow onto hosts of others
        if (decision.hosts) RC_ASSERT(*decision.hosts == *decision.ranks);
        view = job_of(*decision.ranks, 1, view.min, view.max, view.multiple);
        return true;
    }
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] const std::vector<JobView>& jobs() const { return jobs_; }
    [[nodiscard]] int idle() const { return idle_; }
    /// The hosts that the jobs can give up together. Jobs of this test have only sizes that can be
    /// combined.
    [[nodiscard]] int most_given_up() const {
        int most = 0;
        for (const auto& view : jobs_) most += view.ranks - view.min;
        return most;
    }

  private:
    static SiteJobId id_of(std::size_t which) {
        return SiteJobId{static_cast<std::uint32_t>(which + 1)};
    }

    int hosts_, idle_;
    std::uint64_t last_id_ = 0;
    std::vector<JobView> jobs_;
    std::deque<Rigid> waiting_;
    std::vector<Rigid> running_;
    SitePolicy policy_;
};

Cluster any_cluster(SharingKind kind, bool with_multiples = false) {
    std::vector<JobView> jobs(*rc::gen::inRange<std::size_t>(1, 6));
    for (auto& view : jobs) {
        const int multiple = with_multiples ? *rc::gen::inRange(1, 5) : 1;
        const int min = *rc::gen::inRange(1, 3);
        const int more = *rc::gen::inRange(0, 8);
        view = job_of(multiple * (min + *rc::gen::inRange(0, more + 1)), 1, multiple * min,
                      multiple * (min + more), multiple);
    }
    return {kind, std::move(jobs), *rc::gen::inRange(0, 8)};
}

SharingKind any_kind() {
    return *rc::gen::element(SharingKind::natural, SharingKind::average);
}

RC_GTEST_PROP(SiteRandom, AnEmptyQueueComesToRestAndLeavesNoHostIdle, ()) {
    const auto kind = any_kind();
    auto cluster = any_cluster(kind);
    double now_s = 0;
    int last_change = 0;
    for (int step = 0; step < 100; ++step, now_s += step_s)
        for (std::size_t which = 0; which < cluster.jobs().size(); ++which)
            if (cluster.ask(which, now_s)) last_change = step;
    RC_ASSERT(last_change <= 60);
    for (const auto& view : cluster.jobs())
        RC_ASSERT(cluster.idle() == 0 || view.ranks == view.max);
    if (kind != SharingKind::average) return;
    // No job could get a host from one that has two more.
    for (const auto& few : cluster.jobs())
        for (const auto& many : cluster.jobs())
            RC_ASSERT(few.ranks == few.max || many.ranks == many.min ||
                      many.ranks - few.ranks <= 1);
}

RC_GTEST_PROP(SiteRandom, JobsWithMultiplesComeToRest, ()) {
    auto cluster = any_cluster(any_kind(), true);
    double now_s = 0;
    int last_change = 0;
    for (int step = 0; step < 100; ++step, now_s += step_s)
        for (std::size_t which = 0; which < cluster.jobs().size(); ++which)
            if (cluster.ask(which, now_s)) last_change = step;
    RC_ASSERT(last_change <= 60);
}

RC_GTEST_PROP(SiteRandom, EachJobThatCouldStartStarts, ()) {
    auto cluster = any_cluster(any_kind());
    double now_s = 0;
    const int most = cluster.most_given_up();
    const int steps = *rc::gen::inRange(1, 60);
    for (int step = 0; step < steps; ++step, now_s += step_s) {
        if (most > 0 && *rc::gen::inRange(0, 4) == 0)
            cluster.submit(*rc::gen::inRange(1, most + 1), *rc::gen::inRange(1, 9));
        cluster.schedule();
        cluster.ask(*rc::gen::inRange<std::size_t>(0, cluster.jobs().size()), now_s,
                    *rc::gen::inRange(0, 10) == 0);
    }
    constexpr int hours = 12;
    for (int step = 0; step < hours * 720 && cluster.waiting() > 0; ++step, now_s += step_s) {
        cluster.schedule();
        for (std::size_t which = 0; which < cluster.jobs().size(); ++which)
            cluster.ask(which, now_s);
    }
    RC_ASSERT(cluster.waiting() == 0U);
}

}  // namespace
}  // namespace ductile::policy::site_random_test
