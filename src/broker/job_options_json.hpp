// A job's options as a journal keeps them and as `ductile status` shows them. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "broker/job_options.hpp"

namespace ductile::broker {

/// {NAME: {"value": ..., "from": ...}}
nlohmann::json to_json(const JobOptions& options);
/// Throws InputError that names the option for what to_json() does not make.
JobOptions job_options_from(const nlohmann::json& json);

}  // namespace ductile::broker
