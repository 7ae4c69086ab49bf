// Chooses the resource manager from a job's options.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/job_origin.hpp"
#include "cli/settings.hpp"
#include "core/allocation.hpp"
#include "rms/resource_manager.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::cli {

struct ChosenManager {
    std::unique_ptr<rms::ResourceManager> rms;
    std::optional<rms::SlurmJob> slurm_job;  ///< set if Slurm provides the hosts
};

/// The job uses the hosts that an option names. If no option does, it uses the hosts of the Slurm
/// job of SLURM_JOB_ID. If this variable is not set, or Slurm does not give these hosts, it uses
/// this machine. `ranks`: the ranks at the job's start. All logical hosts together get enough slots
/// for them, unless --ranks-per-host sets the slots of each host. Throws InputError if the options
/// contradict each other or name something that does not exist.
ChosenManager make_resource_manager(Settings& settings, int ranks, const std::string& job);

/// The resource manager of a job that is taken over. The job has the hosts `held`.
std::unique_ptr<rms::ResourceManager> resource_manager_of(Settings& settings,
                                                          const JobOrigin& origin,
                                                          const std::string& job,
                                                          const core::Allocation& held);

}  // namespace ductile::cli
