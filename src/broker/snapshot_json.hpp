// A snapshot as a journal keeps it. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "broker/snapshot.hpp"

namespace ductile::broker {

nlohmann::json to_json(const Snapshot& snapshot);
/// Throws InputError that names the field which is missing or out of its bounds.
Snapshot snapshot_from(const nlohmann::json& json);

}  // namespace ductile::broker
