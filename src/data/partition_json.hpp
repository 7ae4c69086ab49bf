// Partitions as JSON, for newcomers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plan/partition.hpp"

namespace ductile::data {

nlohmann::json partition_to_json(const plan::Partition& partition);
/// Throws InputError or nlohmann::json::exception on JSON that partition_to_json() does not write.
plan::Partition partition_from_json(const nlohmann::json& text);

}  // namespace ductile::data
