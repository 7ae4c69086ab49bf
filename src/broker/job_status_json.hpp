// What a broker answers about its job, as JSON.
#pragma once

#include <string>

#include "broker/job_parts.hpp"

namespace ductile::broker {

/// For `ductile status`.
std::string status_of(const JobParts& job);

/// For whoever asked for a resize: the number of the one that was accepted.
std::string accepted_as(core::TransactionId resize);

}  // namespace ductile::broker
