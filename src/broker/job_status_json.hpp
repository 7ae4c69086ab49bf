// The broker's answers about its job, as JSON.
#pragma once

#include <string>

#include "broker/job_parts.hpp"

namespace ductile::broker {

/// The answer to `ductile status`.
std::string status_of(const JobParts& job);

}  // namespace ductile::broker
