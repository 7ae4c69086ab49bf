// Jobs under `natural` share a cluster with rigid jobs, in any order of events.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

#include "policy/natural.hpp"
#include "views_of_jobs.hpp"

namespace ductile::policy::natural_random_test {
namespace {

struct Malleable {
    JobView view;
    Natural policy;
};

struct Rigid {
    WaitingJob job;
    int ends_in = 0;  ///< steps, once it runs; 0: it never starts
};

/// A cluster whose scheduler starts the first waiting jobs that fit, as backfill does.
class Cluster {
  public:
    Cluster(const std::vector<JobView>& jobs, int idle) : hosts_(idle), idle_(idle) {
        for (const auto& view : jobs) jobs_.push_back({view, {}});
        for (const auto& one : jobs_) hosts_ += one.view.ranks;
    }

    void submit(int hosts, int steps) {
        waiting_.push_back({{WaitingJobId{++last_id_}, hosts}, steps});
    }
    /// A job that looks as if it waited for hosts, but never starts.
    void submit_unstartable(int hosts) {
        waiting_.push_back({{WaitingJobId{++last_id_}, hosts}, 0});
    }
    void schedule() {
        for (auto& one : running_) --one.ends_in;
        for (auto it = running_.begin(); it != running_.end();)
            if (it->ends_in <= 0) {
                idle_ += it->job.hosts;
                it = running_.erase(it);
            } else {
                ++it;
            }
        for (auto it = waiting_.begin(); it != waiting_.end();)
            if (it->ends_in > 0 && it->job.hosts <= idle_) {
                idle_ -= it->job.hosts;
                running_.push_back(*it);
                it = waiting_.erase(it);
            } else {
                ++it;
            }
    }
    /// Asks the policy of a job, and carries its decision out. Returns whether the job was resized.
    bool ask(std::size_t which, double now_s) {
        auto& [view, policy] = jobs_.at(which);
        ClusterView seen{idle_, {}};
        for (const auto& one : waiting_) seen.waiting.push_back(one.job);
        const auto decision = policy.decide(view, seen, now_s);
        if (!decision.ranks) return false;
        RC_ASSERT(*decision.ranks != view.ranks);
        RC_ASSERT(*decision.ranks >= view.min && *decision.ranks <= view.max);
        RC_ASSERT(*decision.ranks % std::max(1, view.multiple) == 0);
        if (*decision.ranks < view.ranks) RC_ASSERT(decision.for_job.has_value());
        idle_ += view.ranks - *decision.ranks;
        RC_ASSERT(idle_ >= 0);  // it does not grow onto hosts of others
        if (decision.hosts) RC_ASSERT(*decision.hosts == *decision.ranks);
        const auto limits = view;
        view = job_of(*decision.ranks, 1, limits.min, limits.max, limits.multiple);
        check();
        return true;
    }
    [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    /// The hosts that the jobs can give up as they are.
    [[nodiscard]] int most_given_up() const {
        int most = 0;
        for (const auto& one : jobs_) most += one.view.ranks - one.view.min;
        return most;
    }

  private:
    void check() const {
        int used = idle_;
        for (const auto& one : jobs_) used += one.view.ranks;
        for (const auto& one : running_) used += one.job.hosts;
        RC_ASSERT(used == hosts_);
    }

    int hosts_ = 0, idle_;
    std::uint64_t last_id_ = 0;
    std::vector<Malleable> jobs_;
    std::deque<Rigid> waiting_;
    std::vector<Rigid> running_;
};

Cluster any_cluster() {
    std::vector<JobView> jobs(*rc::gen::inRange<std::size_t>(1, 4));
    for (auto& view : jobs) {
        const int multiple = *rc::gen::element(0, 1, 2, 3);
        const int step = std::max(1, multiple);
        const int min = step * *rc::gen::inRange(1, 3);
        const int more = *rc::gen::inRange(0, 6);
        const int ranks = min + step * *rc::gen::inRange(0, more + 1);
        view = job_of(ranks, 1, min, min + step * more, multiple);
    }
    return Cluster(jobs, *rc::gen::inRange(0, 8));
}

constexpr double step_s = 5;

RC_GTEST_PROP(NaturalRandom, AnEmptyQueueComesToRest, ()) {
    auto cluster = any_cluster();
    double now_s = 0;
    int last_change = 0;
    for (int step = 0; step < 200; ++step, now_s += step_s) {
        cluster.schedule();
        for (std::size_t which = 0; which < cluster.jobs(); ++which)
            if (cluster.ask(which, now_s)) last_change = step;
    }
    RC_ASSERT(last_change <= 1);
}

// A single malleable job can give up enough hosts for each rigid job. Several malleable jobs do not
// know of each other, so what they can give up together helps no job. Then each rigid job needs one
// host.
RC_GTEST_PROP(NaturalRandom, EachJobThatCouldStartStarts, ()) {
    auto cluster = any_cluster();
    double now_s = 0;
    const int most =
        cluster.jobs() == 1 ? cluster.most_given_up() : std::min(1, cluster.most_given_up());
    const int steps = *rc::gen::inRange(1, 60);
    for (int step = 0; step < steps; ++step, now_s += step_s) {
        if (most > 0 && *rc::gen::inRange(0, 4) == 0)
            cluster.submit(*rc::gen::inRange(1, most + 1), *rc::gen::inRange(1, 9));
        cluster.schedule();
        cluster.ask(*rc::gen::inRange<std::size_t>(0, cluster.jobs()), now_s);
    }
    constexpr int hours = 12;
    for (int step = 0; step < hours * 720 && cluster.waiting() > 0; ++step, now_s += step_s) {
        cluster.schedule();
        for (std::size_t which = 0; which < cluster.jobs(); ++which) cluster.ask(which, now_s);
    }
    RC_ASSERT(cluster.waiting() == 0U);
}

// Jobs that never start stop no other, and move no malleable job for ever.
RC_GTEST_PROP(NaturalRandom, JobsThatNeverStartDoLittleHarm, ()) {
    auto cluster = any_cluster();
    const int unstartable = *rc::gen::inRange(1, 20);
    for (int i = 0; i < unstartable; ++i) cluster.submit_unstartable(*rc::gen::inRange(1, 4));
    double now_s = 0;
    int resizes = 0;
    constexpr int hours = 5;
    for (int step = 0; step < hours * 720; ++step, now_s += step_s) {
        cluster.schedule();
        for (std::size_t which = 0; which < cluster.jobs(); ++which)
            if (cluster.ask(which, now_s)) ++resizes;
    }
    constexpr int most_by_a_job = 40;
    RC_ASSERT(resizes <= most_by_a_job * static_cast<int>(cluster.jobs()));
}

}  // namespace
}  // namespace ductile::policy::natural_random_test
