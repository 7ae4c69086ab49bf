// What it takes to make a job again, as its journal keeps it for `ductile run --resume`.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/settings.hpp"
#include "core/allocation.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::cli {

struct JobOrigin {
    nlohmann::json settings;  ///< as Settings::asked()
    wire::AgentWelcome launch;
    core::Allocation hosts;
    bool logical = false;
};

nlohmann::json to_json(const JobOrigin& origin);
/// Throws InputError that names the field which is missing or out of its bounds.
JobOrigin job_origin_from(const nlohmann::json& json);

}  // namespace ductile::cli
