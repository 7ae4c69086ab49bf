// Runs the probes on an MPI and records what came out.
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
    std::string prefix;     ///< of the MPI
    std::string library;    ///< file name of the library that Ductile was built for
    std::string built_for;  ///< prefix of that MPI, whose mpicc serves where the other has none
    std::filesystem::path probe_sources;   ///< folder of the C sources
    std::string probe_ranks;               ///< the program that starts ranks as a job's agents do
    std::filesystem::path scratch_parent;  ///< where a private folder is made
    rms::Environment environment;          ///< the caller's; launcher variables are taken out here
    std::chrono::milliseconds version_deadline{10'000};
    std::chrono::milliseconds build_deadline{60'000};
    std::chrono::milliseconds probe_deadline{20'000};
    int cancel_on = -1;  ///< a descriptor that ends it all when readable
    std::function<void(const std::string& what)> progress = {};  ///< told before each step
};

/// Thrown when `cancel_on` became readable. Nothing is left behind.
struct ExaminationCancelled : std::runtime_error {
    ExaminationCancelled() : std::runtime_error("cancelled") {}
};

/// Each probe is built with the MPI's mpicc and started as the ranks of a job are: by
/// `probe_ranks`, or by the MPI's mpiexec, with a deadline each; a probe whose need failed is not
/// run. Makes this process a sub-reaper and ends every descendant of it: call it where nothing else
/// is started. No process and no file is left. Throws ExaminationCancelled, or std::exception when
/// the probes' sources or a place for files are missing.
[[nodiscard]] Examination examine(const ExamineOptions& options);

}  // namespace ductile::cli
