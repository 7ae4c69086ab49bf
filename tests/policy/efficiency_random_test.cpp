// A job under `efficiency`, with a program of known or any efficiency.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "policy/efficiency.hpp"
#include "views_of_jobs.hpp"

namespace ductile::policy::efficiency_random_test {
namespace {

constexpr double step_s = 5;

/// A job on a cluster of its own.
class Course {
  public:
    Course() {
        const int multiple = *rc::gen::element(0, 1, 2, 3);
        const int slots = *rc::gen::inRange(1, 4);
        const int step = std::max(1, multiple);
        const int min = step * *rc::gen::inRange(1, 3);
        const int max = min + step * *rc::gen::inRange(0, 8);
        const int ranks = min + step * *rc::gen::inRange(0, (max - min) / step + 1);
        become(job_of(ranks, slots, min, max, multiple));
        idle_ = *rc::gen::inRange(0, 12);
    }

    [[nodiscard]] const JobView& job() const { return job_; }
    [[nodiscard]] int idle() const { return idle_; }
    [[nodiscard]] const EfficiencyGoal& goal() const { return goal_; }
    [[nodiscard]] double low() const { return goal_.target - goal_.band; }
    [[nodiscard]] double high() const { return goal_.target + goal_.band; }
    [[nodiscard]] bool was_too_large(int ranks, double now_s) const {
        const auto found = too_large_s_.find(ranks);
        return found != too_large_s_.end() && now_s - found->second < Efficiency::not_again_s;
    }

    /// Asks the policy, and carries its decision out. Returns whether the job was resized.
    bool ask(double efficiency, double now_s) {
        job_.efficiency = efficiency;
        if (efficiency < low()) too_large_s_[job_.ranks] = now_s;
        const auto decision = policy_.decide(job_, {idle_, {}}, now_s);
        if (!decision.ranks) return false;
        const int ranks = *decision.ranks;
        RC_ASSERT(ranks != job_.ranks);
        RC_ASSERT(ranks >= job_.min && ranks <= job_.max);
        RC_ASSERT(ranks % std::max(1, job_.multiple) == 0);
        RC_ASSERT((ranks > job_.ranks) == (efficiency > high()));
        RC_ASSERT((ranks < job_.ranks) == (efficiency < low()));
        if (ranks > job_.ranks) RC_ASSERT(!was_too_large(ranks, now_s));
        const auto before = static_cast<int>(job_.hosts.size());
        become(job_of(ranks, job_.slots_per_host, job_.min, job_.max, job_.multiple));
        const auto after = static_cast<int>(job_.hosts.size());
        idle_ -= after - before;
        RC_ASSERT(idle_ >= 0);
        RC_ASSERT(!decision.hosts || *decision.hosts == after);
        return true;
    }

  private:
    void become(JobView view) {
        job_ = std::move(view);
        job_.free_slots = static_cast<int>(job_.hosts.size()) * job_.slots_per_host - job_.ranks;
    }

    EfficiencyGoal goal_{*rc::gen::inRange(10, 101) / 100.0, *rc::gen::inRange(1, 21) / 100.0};
    Efficiency policy_{goal_};
    JobView job_;
    int idle_ = 0;
    std::map<int, double> too_large_s_;
};

// Each rank computes for `p`; then one after the other computes for `s`, and all others wait.
double model(double p, double s, int ranks) {
    return (p + s) / (p + ranks * s);
}

RC_GTEST_PROP(EfficiencyRandom, AnyEfficiencyKeepsTheLimitsAndThePause, ()) {
    Course course;
    double now_s = 0;
    for (int step = 0; step < 100; ++step) {
        now_s += *rc::gen::inRange(1, 60);
        course.ask(*rc::gen::inRange(0, 101) / 100.0, now_s);
    }
}

RC_GTEST_PROP(EfficiencyRandom, AProgramComesToItsSize, ()) {
    Course course;
    const double p = *rc::gen::inRange(1, 100), s = *rc::gen::inRange(0, 100);
    constexpr int most_steps = 40;  // more than there are sizes, and less than the pause
    int resizes = 0, last_resize = 0;
    for (int step = 0; step < most_steps; ++step) {
        if (!course.ask(model(p, s, course.job().ranks), step * step_s)) continue;
        ++resizes;
        last_resize = step;
    }
    RC_ASSERT(resizes <= 20);
    RC_ASSERT(last_resize == std::max(0, resizes - 1));  // it rests as soon as it has its size
    const auto& job = course.job();
    const double efficiency = model(p, s, job.ranks);
    if (efficiency < course.low()) {  // nothing smaller
        for (int ranks = 0, host = 0; host + 1 < static_cast<int>(job.hosts.size()); ++host) {
            ranks += job.hosts[static_cast<std::size_t>(host)].ranks;
            RC_ASSERT(ranks < job.min || ranks % std::max(1, job.multiple) != 0);
        }
    } else if (efficiency > course.high()) {  // nothing larger, or it was too large
        const int next = job.ranks + std::max(1, job.multiple);
        const int slots = job.free_slots + course.idle() * job.slots_per_host;
        bool too_large = false;
        for (int ranks = job.ranks + 1; ranks <= job.max; ++ranks)
            too_large |= course.was_too_large(ranks, most_steps * step_s);
        RC_ASSERT(too_large || next > job.max || next > job.ranks + slots);
    }
}

}  // namespace
}  // namespace ductile::policy::efficiency_random_test
