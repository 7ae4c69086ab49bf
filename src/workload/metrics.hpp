// What runs of a workload are compared by (dmr-slurm-mpdata, Figures 4 to 9, Tables 4 and 5). Pure.
#pragma once

#include <string>
#include <vector>

#include "workload/records.hpp"

namespace ductile::workload {

/// The times of a job, or their medians.
struct JobTimes {
    double wait_s = 0;        ///< from submission to start
    double run_s = 0;         ///< from start to end
    double turnaround_s = 0;  ///< of a job: wait_s + run_s. Medians do not add up.
    bool operator==(const JobTimes&) const = default;
};

/// Medians over the jobs of one class. Only jobs that succeeded count.
struct ClassTimes {
    std::string name;
    int jobs = 0;  ///< number of jobs that count, in all runs together; if 0, the times are 0
    JobTimes median;
    bool operator==(const ClassTimes&) const = default;
};

/// Medians over resizes. If there are none, the times are 0.
struct ResizeTimes {
    double total_s = 0;
    double spawn_s = 0;
    double redistribution_s = 0;
    double stall_s = 0;
    bool operator==(const ResizeTimes&) const = default;
};

/// From `time_s` on, jobs hold `share` of the hosts (from 0 to 1).
struct UtilisationStep {
    double time_s = 0;
    double share = 0;
    bool operator==(const UtilisationStep&) const = default;
};

/// The numbers of one run, or their medians over several runs.
struct RunNumbers {
    double makespan_s = 0;        ///< from the first submission to the last end of a job
    double mean_utilisation = 0;  ///< over the makespan
    double all_submitted_s = 0;   ///< from the first submission to the last
    double queue_empty_s = 0;     ///< from the first submission to the last start of a job
    double failed_jobs = 0;
    double resizes = 0;
    double resize_time_s = 0;  ///< all resizes together
    double overlapped_iterations = 0;
    ClassTimes all_classes;           ///< all jobs together; without a name
    std::vector<ClassTimes> classes;  ///< in the order of their names
    ResizeTimes resize_median;
    bool operator==(const RunNumbers&) const = default;
};

[[nodiscard]] JobTimes times_of(const JobRecord& job);

/// The hosts that a job held, times the seconds for which it held them.
[[nodiscard]] double host_seconds(const JobRecord& job);

/// The utilisation of a cluster of `hosts` hosts, in the order of time. The first step is at the
/// first submission. The last step is at the last end of a job and has share 0. Neighbouring steps
/// have different shares, except the last two. `jobs` must not be empty.
[[nodiscard]] std::vector<UtilisationStep> utilisation(const std::vector<JobRecord>& jobs,
                                                       int hosts);

/// The area below the steps: share times seconds.
[[nodiscard]] double integral_s(const std::vector<UtilisationStep>& steps);

/// The numbers of one run on a cluster of `hosts` hosts. `jobs` must not be empty. A job that
/// failed counts for all numbers except the times of jobs.
[[nodiscard]] RunNumbers measure(const std::vector<JobRecord>& jobs, int hosts);

/// The median of each number over the repetitions of a configuration; for times of jobs and of
/// resizes, the median of the medians. A repetition in which no job of a class succeeded does not
/// count for the times of this class, and one without resizes does not count for the times of
/// resizes. `runs` must not be empty.
[[nodiscard]] RunNumbers medians_of(const std::vector<RunNumbers>& runs);

/// The median. For an even number of values it is the mean of the two middle values. `values` must
/// not be empty.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace ductile::workload
