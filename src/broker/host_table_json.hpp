// The state of a host table, as JSON for the journal.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "broker/host_states.hpp"

namespace ductile::broker {

nlohmann::json to_json(const HostTableState& state);
/// Throws InputError that names the field if a field is missing, of a wrong type or out of its
/// bounds, or if it contradicts other fields.
HostTableState host_table_from(const nlohmann::json& json);

}  // namespace ductile::broker
