// Writes the files that the daemons of a cluster's Slurm read, and makes the folders that they
// write to.
#pragma once

#include "cluster/names.hpp"

namespace ductile::cluster {

/// Writes into slurm_home, which is empty (see mount_slurm). Throws SystemError.
void write_slurm_files(const ClusterSpec& spec);

}  // namespace ductile::cluster
