// What it takes to make a job again, as its journal keeps it for `ductile run --resume`.
#pragma once

#include <nlohmann/json.hpp>

#include "broker/launch_spec.hpp"
#include "cli/settings.hpp"
#include "core/allocation.hpp"

namespace ductile::cli {

struct JobOrigin {
    broker::JobOptions settings;  ///< as Settings::asked()
    broker::LaunchSpec launch;
    core::Allocation hosts;
    bool logical = false;
};

nlohmann::json to_json(const JobOrigin& origin);
/// Throws InputError that names the field which is missing or out of its bounds.
JobOrigin job_origin_from(const nlohmann::json& json);

}  // namespace ductile::cli
