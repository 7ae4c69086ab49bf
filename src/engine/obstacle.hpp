// What speaks against a switch.
#pragma once

#include <optional>
#include <string>

namespace ductile::engine {

/// Why this rank cannot go on with a switch; nothing: it can.
using Obstacle = std::optional<std::string>;

}  // namespace ductile::engine
