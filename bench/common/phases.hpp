// Where the time of our resizes goes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/our_run.hpp"

namespace ductile::bench {

/// Medians over the resizes: the moments since acceptance, and the parts of the stall. All resizes
/// are of one kind.
nlohmann::json median_phases(const std::vector<OurResize>& resizes);

/// The same as lines for people.
std::string phases_to_text(const std::string& name, const nlohmann::json& phases);

}  // namespace ductile::bench
