// The options of a job as JSON, for the journal and for `ductile status`. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "broker/job_options.hpp"

namespace ductile::broker {

/// {NAME: {"value": ..., "from": ...}}
nlohmann::json to_json(const JobOptions& options);
/// Throws InputError that names the option if to_json() cannot have written this.
JobOptions job_options_from(const nlohmann::json& json);

}  // namespace ductile::broker
