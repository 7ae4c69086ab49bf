// Asks a Slurm for its version and configuration, and submits a sidecar as a trial.
#pragma once

#include <functional>
#include <string>

#include "cli/doctor/slurm_findings.hpp"

namespace ductile::cli {

struct SlurmTrialOptions {
    std::string partition, account;  ///< empty: Slurm's default
    std::string site_file;           ///< where the ductiled of the site is; empty: there is none
    int cancel_on = -1;              ///< the trial ends when this descriptor is readable
    std::function<void(const std::string&)> progress;
};

/// Takes about three minutes at most. A sidecar that was submitted is cancelled in any case. If
/// this process is killed, Slurm ends the sidecar within four minutes, even if it has not started.
/// Throws ExaminationCancelled if `cancel_on` becomes readable.
[[nodiscard]] SlurmSeen examine_slurm(const SlurmTrialOptions& options);

}  // namespace ductile::cli
