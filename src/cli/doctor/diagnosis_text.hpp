// A diagnosis as text for people and as JSON for machines.
#pragma once

#include <string>

#include "cli/doctor/diagnosis.hpp"

namespace ductile::cli {

/// A line for each finding, with its cure below it.
[[nodiscard]] std::string as_text(const std::vector<Finding>& findings);
/// One JSON object: usable, findings.
[[nodiscard]] std::string as_json(const std::vector<Finding>& findings);

/// A line for each finding, with its cure below it. Then what this MPI allows, if it allows a
/// start. Then whether Ductile can use this MPI.
[[nodiscard]] std::string as_text(const Diagnosis& diagnosis, const std::string& prefix);

/// One JSON object: prefix, usable, findings, capabilities, starts, connects.
[[nodiscard]] std::string as_json(const Diagnosis& diagnosis, const std::string& prefix);

}  // namespace ductile::cli
