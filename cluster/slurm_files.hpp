// Writes the files that the daemons of a cluster's Slurm read, and makes the folders that they
// write to.
#pragma once

#include "cluster/slurm_config.hpp"

namespace ductile::cluster {

/// Throws SystemError.
std::string random_munge_key();

/// Writes into slurm_home, which is empty (see mount_slurm). Throws SystemError.
void write_slurm_files(const SlurmSite& site);

}  // namespace ductile::cluster
