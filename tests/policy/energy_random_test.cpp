// A job under `energy`, with a program that has any cost at each size.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "policy/energy.hpp"
#include "views_of_jobs.hpp"

namespace ductile::policy::energy_random_test {
namespace {

/// A job on a cluster of its own.
class Course {
  public:
    Course() {
        const int multiple = *rc::gen::element(0, 1, 2, 3);
        const int slots = *rc::gen::inRange(1, 4);
        const int step = std::max(1, multiple);
        const int min = step * *rc::gen::inRange(1, 3);
        const int max = min + step * *rc::gen::inRange(0, 8);
        become(job_of(min + step * *rc::gen::inRange(0, (max - min) / step + 1), slots, min, max,
                      multiple));
        idle_ = *rc::gen::inRange(0, 12);
    }

    [[nodiscard]] const JobView& job() const { return job_; }

    /// Asks the policy, and carries its decision out. Returns whether the job was resized.
    bool ask(double joules, double now_s) {
        job_.point_cost = PointCost{1, joules};
        const auto decision = policy_.decide(job_, {idle_, {}}, now_s);
        if (!decision.ranks) return false;
        const int ranks = *decision.ranks;
        RC_ASSERT(ranks != job_.ranks);
        RC_ASSERT(ranks >= job_.min && ranks <= job_.max);
        RC_ASSERT(ranks % std::max(1, job_.multiple) == 0);
        RC_ASSERT((ranks < job_.ranks) == decision.hosts.has_value());
        const auto before = static_cast<int>(job_.hosts.size());
        become(job_of(ranks, job_.slots_per_host, job_.min, job_.max, job_.multiple));
        const auto after = static_cast<int>(job_.hosts.size());
        idle_ -= after - before;
        RC_ASSERT(idle_ >= 0);
        RC_ASSERT(!decision.hosts || *decision.hosts == after);
        return true;
    }

    /// The sizes that the job could have after its next step.
    [[nodiscard]] std::vector<int> neighbours() const {
        std::vector<int> sizes;
        if (const auto larger = grown_by_a_host(job_, idle_)) sizes.push_back(*larger);
        if (const auto smaller = without_hosts(job_, 0)) sizes.push_back(smaller->ranks);
        return sizes;
    }

  private:
    void become(JobView view) {
        job_ = std::move(view);
        job_.free_slots = static_cast<int>(job_.hosts.size()) * job_.slots_per_host - job_.ranks;
    }

    Energy policy_{{}};
    JobView job_;
    int idle_ = 0;
};

RC_GTEST_PROP(EnergyRandom, AnyCostsKeepTheLimitsAndTheJobComesToRest, ()) {
    Course course;
    std::vector<double> joules;
    for (int size = 0; size < 64; ++size) joules.push_back(*rc::gen::inRange(1, 1000));
    constexpr int most_steps = 500;  // less than the pause
    int last_resize = 0;
    for (int step = 0; step < most_steps; ++step) {
        // A measurement is never quite the same.
        const double noise = 1 + *rc::gen::inRange(-30, 31) / 1000.0;
        if (course.ask(joules[static_cast<std::size_t>(course.job().ranks)] * noise, step))
            last_resize = step;
    }
    RC_ASSERT(last_resize < most_steps / 2);
}

// An iteration costs least at one size, and more the farther it is from there.
RC_GTEST_PROP(EnergyRandom, AProgramComesToItsSize, ()) {
    Course course;
    const double best = *rc::gen::inRange(1, 30);
    const double slope = 1 + *rc::gen::inRange(1, 200) / 1000.0;
    const auto joules = [=](int ranks) { return std::pow(slope, std::abs(ranks - best)); };
    double least = joules(course.job().ranks);
    for (int step = 0; step < 300; ++step) {
        course.ask(joules(course.job().ranks), step);
        least = std::min(least, joules(course.job().ranks));
    }
    if (course.job().slots_per_host == 1)  // each size leads to each other one
        RC_ASSERT(joules(course.job().ranks) <= least * (1 + Energy::good_within));
    // A size between two known ones is not tried. It may be cheaper than both by the same part.
    for (const int other : course.neighbours())
        RC_ASSERT(joules(other) * std::pow(1 + Energy::good_within, 2) >=
                  joules(course.job().ranks));
}

}  // namespace
}  // namespace ductile::policy::energy_random_test
