// What Slurm and Ductile know of a job of a study, as one record. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/workload/configuration.hpp"
#include "report/timeline.hpp"
#include "rms/slurm_accounting.hpp"
#include "workload/records.hpp"

namespace ductile::cli {

/// `own`: the Slurm job; it has ended. `sidecars`: the Slurm jobs by which the job got more hosts;
/// those that never started are ignored. `history`: what history_of() returned.
[[nodiscard]] workload::JobRecord job_record(workload::JobNumber number,
                                             const std::string& class_name,
                                             const rms::AccountedJob& own,
                                             const std::vector<rms::AccountedJob>& sidecars,
                                             const std::optional<report::Timeline>& history,
                                             const Configuration& configuration);

/// The sidecars of the job of this name, among all Slurm jobs.
[[nodiscard]] std::vector<rms::AccountedJob> sidecars_of(
    const std::string& name, const std::vector<rms::AccountedJob>& jobs);

/// The number of iterations that a program has done at this time, by its event records. Between two
/// records of its pace the number is interpolated linearly.
[[nodiscard]] double iterations_at(const std::vector<report::Pace>& paces, double at_s);

}  // namespace ductile::cli
