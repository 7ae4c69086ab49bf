// Records that the demo adds to a job's event records: the machine, and the checks.
#pragma once

#include <string>

#include "report/timeline.hpp"

namespace ductile::cli::demo {

/// Appends a record `machine`: processor, cores, memory, kernel, version of Ductile.
void append_machine(const std::string& events);
/// Appends a record `check`.
void append_check(const std::string& events, const report::Check& check);

}  // namespace ductile::cli::demo
