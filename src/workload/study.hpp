// A workload study: jobs of some classes arrive at a cluster, and run with and without malleability
// (dmr-slurm-mpdata, section 5). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/efficiency.hpp"

namespace ductile::workload {

/// Jobs that run the same program with the same problem size.
struct JobClass {
    std::string name;
    double likelihood = 1;  ///< of a job to be of this class; the classes' likelihoods add up to 1
    int min_hosts = 1;      ///< the smallest number of hosts that a malleable job may have
    int iterations = 1;     ///< number of iterations of a job
    /// For each number of hosts from min_hosts up to the largest one measured, without a gap.
    IterationTimes iteration_s;
    double data_mib = 0;               ///< amount of data that a resize moves
    std::vector<std::string> command;  ///< program and arguments; empty: apps/paced
};

/// What a study file says. Its times are in seconds of the study. A run takes `time_scale` real
/// seconds for each of them.
struct Study {
    std::uint64_t seed = 1;
    int jobs = 30;
    double mean_interarrival_s = 10;
    int hosts = 31;       ///< number of hosts that run jobs
    int repetitions = 5;  ///< number of runs of the same list of jobs
    double time_scale = 1;
    double min_efficiency = 1;   ///< see efficient_hosts()
    double rigid_share = 0;      ///< likelihood of a job to be rigid in a malleable workload
    double policy_every_s = 10;  ///< time between two decisions of a job's policy
    int inhibitor_points = 4;    ///< after a resize, so many resize points pass without a resize
    /// True: Slurm starts a malleable job on as many hosts as are idle, within the job's limits.
    /// False: Slurm starts it on its smallest number of hosts.
    bool moldable = false;
    /// The absolute path of a site's file, whose ductiled decides for the malleable jobs. Empty:
    /// the policy natural decides in each job.
    std::string site;
    std::vector<JobClass> classes;
};

/// The number of hosts of a rigid job, and the largest number of hosts of a malleable job. It is
/// the largest efficient number (efficient_hosts()) that is not above the hosts of the study.
int max_hosts(const Study& study, const JobClass& job_class);

/// The times of an iteration in a run: the times of the class, multiplied by `time_scale`.
IterationTimes scaled_iteration_s(const Study& study, const JobClass& job_class);

/// Reads the text of a study file (TOML, examples/workload/). `file`: its name, for messages.
/// Throws InputError that begins with the file and the line, if the text is not TOML, a key is
/// unknown, missing or of another type, or a value is out of its bounds. An error about a key also
/// names the key.
Study parse_study(std::string_view text, const std::string& file);

}  // namespace ductile::workload
