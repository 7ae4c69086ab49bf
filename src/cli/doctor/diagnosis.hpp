// What an examination means: a verdict per probe with its cure, and the options that follow. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/examination.hpp"
#include "mpi/capabilities.hpp"

namespace ductile::cli {

enum class Verdict { ok, warn, fail };

struct Finding {
    std::string probe;
    Verdict verdict = Verdict::ok;
    std::string what;  ///< what was found
    std::string cure;  ///< what to do about it; empty for Verdict::ok
    bool operator==(const Finding&) const = default;
};

struct Diagnosis {
    std::vector<Finding> findings;
    mpi::Capabilities can;              ///< known limits, and abilities as the probes saw them
    std::vector<std::string> starts;    ///< ways to start groups that this MPI allows
    std::vector<std::string> connects;  ///< ways to connect them

    /// Whether no finding is a failure.
    [[nodiscard]] bool usable() const;
};

[[nodiscard]] Diagnosis diagnose(const Examination& seen);

}  // namespace ductile::cli
