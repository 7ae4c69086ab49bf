// Runs all programs of one probe at the same time.
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
        folder;  ///< holds the program, which has the probe's name; the runs exchange files there
    std::vector<std::string> launcher;  ///< the command that starts a run: launcher_of()
    rms::Environment environment;
    std::chrono::milliseconds deadline;  ///< of each run, and of each repetition of a run
    int cancel_on = -1;                  ///< a descriptor
};

/// Starts all runs of a probe together and waits for their end. When the program's run has ended,
/// or a run has failed that must not fail, the other runs get three more seconds. When a run has
/// ended without a failure and left no process behind, this function makes the file `ROLE_gone.0`,
/// which tells the other runs. The program makes the file `passed.0` when it reaches its end.
[[nodiscard]] ProbeResult run_probe(const Probe& probe, const ProbeSetting& setting);

}  // namespace ductile::cli
