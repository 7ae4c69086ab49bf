// Runs the probes on an MPI and records the results.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "cli/doctor/examination.hpp"
#include "rms/command_environment.hpp"

namespace ductile::cli {

struct ExamineOptions {
    std::string prefix;   ///< of the MPI
    std::string library;  ///< file name of the library of the MPI that Ductile was built for
    /// Prefix of the MPI that Ductile was built for. Its mpicc is used if `prefix` has no mpicc.
    std::string built_for;
    std::filesystem::path probe_sources;   ///< folder of the C sources
    std::string probe_ranks;               ///< the program that starts ranks like a job's agents
    std::filesystem::path scratch_parent;  ///< parent of the private folder
    rms::Environment environment;          ///< the caller's; `examine` removes launcher variables
    std::chrono::milliseconds version_deadline{10'000};
    std::chrono::milliseconds build_deadline{60'000};
    std::chrono::milliseconds probe_deadline{20'000};
    int cancel_on = -1;  ///< a descriptor; the examination ends when it is readable
    std::function<void(const std::string& what)> progress = {};  ///< called before each step
};

/// Thrown when `cancel_on` becomes readable. All processes and files are removed before.
struct ExaminationCancelled : std::runtime_error {
    ExaminationCancelled() : std::runtime_error("cancelled") {}
};

/// Builds each probe with the MPI's mpicc, and starts it like the ranks of a job: by `probe_ranks`,
/// or by the MPI's mpiexec. Each run of a probe has a deadline. If a probe fails, the probes that
/// need it do not run. If a probe cannot be built, no later probe runs. Without mpicc, mpiexec or
/// the version of mpiexec, no probe runs. Makes this process a sub-reaper and ends all its
/// descendants. So call this function only in a process that starts nothing else. Leaves no process
/// and no file behind. Throws ExaminationCancelled. Throws std::exception when the probes' sources
/// or a place for files are missing.
[[nodiscard]] Examination examine(const ExamineOptions& options);

}  // namespace ductile::cli
