// The data about a job that `ductile run --resume` needs to take the job over. The journal keeps
// this data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "broker/launch_spec.hpp"
#include "cli/settings.hpp"
#include "core/allocation.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::cli {

struct JobOrigin {
    broker::JobOptions settings;  ///< see Settings::asked()
    broker::LaunchSpec launch;
    core::Allocation hosts;  ///< at the start of the job; empty with --rms-command
    bool logical = false;
    /// The Slurm job that the first hosts belong to. Further hosts belong to sidecars, the Slurm
    /// jobs that were submitted to add hosts. nullopt: Slurm does not provide the hosts.
    std::optional<rms::SlurmJob> slurm_job;
};

nlohmann::json to_json(const JobOrigin& origin);
/// Throws InputError that names the field that is missing or out of its bounds.
JobOrigin job_origin_from(const nlohmann::json& json);

}  // namespace ductile::cli
