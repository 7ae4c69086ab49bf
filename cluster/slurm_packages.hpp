// Finds the programs of Slurm for `up --slurm`.
#pragma once

#include <string>

namespace ductile::cluster {

/// The folder with the unpacked packages of Slurm: $DUCTILE_SLURM, else `slurm` beside the folder
/// of this program, where scripts/setup puts it. Empty if there is no such folder and Slurm is
/// installed on this machine. Throws UsageError with the programs that are missing.
std::string find_slurm_packages();

}  // namespace ductile::cluster
