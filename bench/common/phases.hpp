// How the times of Ductile's resizes divide into phases.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/our_run.hpp"

namespace ductile::bench {

/// Medians over the resizes: the moments since acceptance, and the parts of the stall. All resizes
/// must have the same sizes and options.
nlohmann::json median_phases(const std::vector<OurResize>& resizes);

/// The same as lines of text.
std::string phases_to_text(const std::string& name, const nlohmann::json& phases);

}  // namespace ductile::bench
