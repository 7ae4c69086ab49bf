// An objection to a switch.
#pragma once

#include <optional>
#include <string>

namespace ductile::engine {

/// Why this rank cannot continue with a switch. Nothing: it can.
using Obstacle = std::optional<std::string>;

}  // namespace ductile::engine
