// Partitions as JSON: how a newcomer is told of them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plan/partition.hpp"

namespace ductile::data {

nlohmann::json partition_to_json(const plan::Partition& partition);
/// Throws InputError or nlohmann::json::exception on what the other one does not write.
plan::Partition partition_from_json(const nlohmann::json& text);

}  // namespace ductile::data
