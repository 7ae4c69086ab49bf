// Environments as values: what a launcher may inherit, and what would mislead it.
#pragma once

#include <map>
#include <string>

namespace ductile::rms {

using Environment = std::map<std::string, std::string>;

/// This process's environment.
[[nodiscard]] Environment current_environment();

/// Less the variables by which an MPI launcher, an MPI library or Slurm would take the program for
/// a part of another run: PMI*, PMIX_*, HYDRA*, HYDI*, MPIEXEC_*, OMPI_COMM_WORLD_* and the like,
/// and all of SLURM_* but SLURM_CONF. {PMI_RANK: 3, PATH: /bin, SLURM_CONF: /c, SLURM_JOBID: 7}
/// gives {PATH: /bin, SLURM_CONF: /c}.
[[nodiscard]] Environment without_launcher_variables(Environment environment);

}  // namespace ductile::rms
