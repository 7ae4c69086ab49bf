// The answer to a resize request that is accepted, as JSON.
#pragma once

#include <string>

#include "core/ids.hpp"

namespace ductile::broker {

/// A JSON object with the number of the accepted resize.
std::string accepted_as(core::TransactionId resize);

}  // namespace ductile::broker
