// The jobs of a study, in the order of their submission. Pure.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "workload/study.hpp"

namespace ductile::workload {

/// Position of a job in the list of its study, from 1 on.
using JobNumber = core::Id<struct JobNumberTag>;
/// Position of a class in Study::classes, from 0 on.
using ClassIndex = core::Id<struct ClassIndexTag>;

struct Job {
    JobNumber number;
    ClassIndex job_class;
    double submit_s = 0;    ///< after the first submission, scaled by Study::time_scale
    bool is_rigid = false;  ///< in a malleable workload; in a static workload all jobs are rigid
    bool operator==(const Job&) const = default;
};

/// The jobs of a study. The list depends on the study alone, and is the same on every platform.
/// - The class is a random choice with the likelihoods of the classes.
/// - The first job is submitted at 0. The gaps between submissions are exponential, with
///   the mean `mean_interarrival_s`, and rounded to milliseconds before they are scaled.
/// - Each job uses three random numbers. So a study with more jobs begins with the same jobs, and
///   `rigid_share` changes neither classes nor times.
///
/// dmr-slurm-mpdata takes the gaps from the model of feitelson-1996. In this model a job may also
/// run several times: it is submitted again when its last run has ended. We leave this repetition
/// out. With it, the times of submission would depend on the runs, and the workloads that a study
/// compares would differ. Sizes and run times come from the classes, as in dmr-slurm-mpdata.
std::vector<Job> make_jobs(const Study& study);

}  // namespace ductile::workload
