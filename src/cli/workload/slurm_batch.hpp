// Submits many jobs to the real Slurm and follows them to their ends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "rms/slurm_accounting.hpp"
#include "workload/jobs.hpp"

namespace ductile::cli {

struct BatchJob {
    workload::JobNumber number;
    double submit_s = 0;             ///< seconds after the first submission
    std::vector<std::string> words;  ///< the sbatch command
};

struct Batch {
    std::vector<BatchJob> jobs;  ///< in the order of their submission
    std::string job_prefix;      ///< of the names of all jobs
    double limit_s = 0;          ///< from the last submission to the end of all jobs
};

struct BatchResult {
    std::map<workload::JobNumber, rms::AccountedJob> jobs;  ///< all have ended
    std::vector<rms::AccountedJob> sidecars;                ///< of all jobs; they have ended, too
};

/// Submits each job at its time, waits until all jobs and their sidecars have ended, and reads
/// Slurm's accounting. Before that, cancels jobs with `job_prefix` that an earlier call left
/// behind. Throws Interrupted after Ctrl-C, and SystemError if Slurm refuses a job or has no
/// accounting, if the limit has passed, or if accounting does not show the end of all jobs within 2
/// minutes. The jobs are then cancelled.
[[nodiscard]] BatchResult run_batch(const Batch& batch, const Interrupt& interrupt);

}  // namespace ductile::cli
