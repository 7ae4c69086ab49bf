// A diagnosis as text for people and as JSON for machines.
#pragma once

#include <string>

#include "cli/doctor/diagnosis.hpp"

namespace ductile::cli {

/// A line per finding, its cure below it, then the options that follow and the sum of it all.
[[nodiscard]] std::string as_text(const Diagnosis& diagnosis, const std::string& prefix);

/// One JSON object: prefix, usable, findings, capabilities, starts, connects.
[[nodiscard]] std::string as_json(const Diagnosis& diagnosis, const std::string& prefix);

}  // namespace ductile::cli
