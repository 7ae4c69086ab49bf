// A snapshot as JSON for the journal. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "broker/snapshot.hpp"

namespace ductile::broker {

nlohmann::json to_json(const Snapshot& snapshot);
/// Throws InputError that names the field if a field is missing, of a wrong type or out of its
/// bounds, or if it contradicts other fields.
Snapshot snapshot_from(const nlohmann::json& json);

}  // namespace ductile::broker
