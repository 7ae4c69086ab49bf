#include "workload/study.hpp"

#include "core/contract.hpp"

namespace ductile::workload {

int max_hosts(const Study& study, const JobClass& job_class) {
    DUCTILE_EXPECT(job_class.min_hosts <= study.hosts);
    auto runnable = job_class.iteration_s;
    runnable.erase(runnable.upper_bound(study.hosts), runnable.end());
    return efficient_hosts(runnable, job_class.min_hosts, study.min_efficiency);
}

IterationTimes scaled_iteration_s(const Study& study, const JobClass& job_class) {
    auto times = job_class.iteration_s;
    for (auto& [hosts, seconds] : times) seconds *= study.time_scale;
    return times;
}

}  // namespace ductile::workload
