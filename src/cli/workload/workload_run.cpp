#include "cli/workload/workload_run.hpp"

#include <fstream>

#include "cli/workload/blocking_slurm.hpp"
#include "cli/workload/job_record.hpp"
#include "cli/workload/slurm_batch.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {
namespace {

using workload::JobRecord;
using workload::Study;

/// The time that Slurm itself takes for a job.
constexpr double overhead_s = 60;

}  // namespace

std::optional<report::Timeline> history_of(const RunPlace& place, workload::JobNumber number) {
    std::ifstream file(events_path(place, number));
    if (!file) return std::nullopt;
    try {
        return report::read_timeline(file);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

std::vector<JobRecord> run_workload(const Study& study, const Configuration& configuration,
                                    RunPlace place, const Interrupt& interrupt) {
    const auto jobs = make_jobs(study);
    if (study.moldable) place.cpus_per_host = BlockingSlurm(interrupt).cpus_per_host();
    Batch batch{{}, place.job_prefix, 0};
    for (const auto& job : jobs) {
        const auto& job_class = class_of(study, job);
        batch.jobs.push_back(
            {job.number, job.submit_s, submission(study, job, configuration, place)});
        // Enough even if all jobs run one after the other on their smallest numbers of hosts.
        batch.limit_s += overhead_s + slowest_s(study, job_class);
    }
    const auto result = run_batch(batch, interrupt);
    std::vector<JobRecord> records;
    for (const auto& job : jobs)
        records.push_back(job_record(job.number, class_of(study, job).name,
                                     result.jobs.at(job.number),
                                     sidecars_of(job_name(place, job.number), result.sidecars),
                                     history_of(place, job.number), configuration));
    return records;
}

}  // namespace ductile::cli
