// How a job of a study is submitted to Slurm. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/workload/configuration.hpp"
#include "workload/jobs.hpp"
#include "workload/study.hpp"

namespace ductile::cli {

/// The place of a run. A run executes all jobs of a study once.
struct RunPlace {
    std::string job_prefix;  ///< of the names of its jobs: "w3f9c1a-merge-2-"
    std::string folder;      ///< absolute path of its results; each host sees this folder
    std::string ductile;     ///< path of this program
    std::string paced;       ///< path of apps/paced, which stands in for an application
    int cpus_per_host = 1;   ///< for moldable jobs
};

/// The name of a job in Slurm and in Ductile: "w3f9c1a-merge-2-07".
[[nodiscard]] std::string job_name(const RunPlace& place, workload::JobNumber number);
[[nodiscard]] std::string events_path(const RunPlace& place, workload::JobNumber number);

[[nodiscard]] const workload::JobClass& class_of(const workload::Study& study,
                                                 const workload::Job& job);
/// How long a job of this class runs on its smallest number of hosts, in real seconds.
[[nodiscard]] double slowest_s(const workload::Study& study, const workload::JobClass& job_class);

/// The sbatch command. A rigid job gets the largest efficient number of hosts; in a configuration
/// that is not malleable all jobs are rigid. A malleable job gets its smallest number of hosts, and
/// asks Slurm for more when it runs. If the study is moldable, a malleable job gets as many hosts
/// as Slurm has for it. It then asks for all CPUs of each host, not for whole hosts (--exclusive):
/// Slurm takes no host out of a job with --exclusive.
[[nodiscard]] std::vector<std::string> submission(const workload::Study& study,
                                                  const workload::Job& job,
                                                  const Configuration& configuration,
                                                  const RunPlace& place);

/// The sbatch command for a job that keeps this number of hosts.
[[nodiscard]] std::vector<std::string> fixed_submission(const workload::Study& study,
                                                        const workload::JobClass& job_class,
                                                        workload::JobNumber number, int hosts,
                                                        const RunPlace& place);

}  // namespace ductile::cli
