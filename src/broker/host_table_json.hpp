// A host table's state as a journal keeps it.
#pragma once

#include <nlohmann/json.hpp>

#include "broker/host_states.hpp"

namespace ductile::broker {

nlohmann::json to_json(const HostTableState& state);
/// Throws InputError that names the field which is missing or out of its bounds.
HostTableState host_table_from(const nlohmann::json& json);

}  // namespace ductile::broker
