#include "workload/jobs.hpp"

#include <cmath>
#include <cstdint>
#include <random>

#include "core/contract.hpp"

namespace ductile::workload {

namespace {

// std::mt19937_64 gives the same numbers everywhere; the distributions of <random> do not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // From 0 to below 1, in steps of 2^-53.
    double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

    // By the inverse of the distribution function. Whole milliseconds hide the last digits of
    // std::log1p, which differ between platforms.
    std::int64_t exponential_ms(double mean_s) {
        return std::llround(-std::log1p(-uniform()) * mean_s * 1000);
    }

  private:
    std::mt19937_64 engine_;
};

// The class whose part of [0, 1) contains `share`. The last class also gets the rest, because the
// likelihoods may add up to slightly less than 1.
ClassIndex class_at(const std::vector<JobClass>& classes, double share) {
    double end = 0;
    int index = 0;
    for (const auto& one : classes) {
        end += one.likelihood;
        if (share < end) return ClassIndex(index);
        ++index;
    }
    return ClassIndex(index - 1);
}

}  // namespace

std::vector<Job> make_jobs(const Study& study) {
    DUCTILE_EXPECT(!study.classes.empty());
    Random random(study.seed);
    std::vector<Job> jobs;
    std::int64_t submit_ms = 0;
    for (int number = 1; number <= study.jobs; ++number) {
        Job job;
        job.number = JobNumber(number);
        job.job_class = class_at(study.classes, random.uniform());
        job.is_rigid = random.uniform() < study.rigid_share;
        job.submit_s = static_cast<double>(submit_ms) / 1000 * study.time_scale;
        submit_ms += random.exponential_ms(study.mean_interarrival_s);
        jobs.push_back(job);
    }
    return jobs;
}

}  // namespace ductile::workload
