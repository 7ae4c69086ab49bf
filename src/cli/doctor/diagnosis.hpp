// The meaning of an examination: a verdict for each probe, how to mend a failure, and the options
// of `ductile run` that the MPI allows. Pure.
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

/// Whether no finding is a failure.
[[nodiscard]] bool is_usable(const std::vector<Finding>& findings);

struct Diagnosis {
    std::vector<Finding> findings;
    mpi::Capabilities can;              ///< known limits, and abilities that the probes found
    std::vector<std::string> starts;    ///< ways to start groups that this MPI allows
    std::vector<std::string> connects;  ///< ways to connect groups that this MPI allows

    [[nodiscard]] bool usable() const { return is_usable(findings); }
};

[[nodiscard]] Diagnosis diagnose(const Examination& seen);

}  // namespace ductile::cli
