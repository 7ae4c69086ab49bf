// The runs of one probe, side by side.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/doctor/examination.hpp"
#include "cli/doctor/probes.hpp"
#include "rms/command_environment.hpp"

namespace ductile::cli {

struct ProbeSetting {
    std::filesystem::path
        folder;  ///< holds the built program, named after the probe; the runs meet in it
    std::vector<std::string> launcher;  ///< what starts a run: launcher_of()
    rms::Environment environment;
    std::chrono::milliseconds deadline;  ///< of each run
    int cancel_on = -1;                  ///< a descriptor
};

/// Starts all runs of a probe at once and waits for their end. When the program has ended, or one
/// run has failed that may not, the others get three more seconds. A run that is over with nothing
/// left of it is told to the others by the file `ROLE_gone.0`; the program says by the file
/// `passed.0` that it came to its end.
[[nodiscard]] ProbeResult run_probe(const Probe& probe, const ProbeSetting& setting);

}  // namespace ductile::cli
