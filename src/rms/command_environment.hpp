// Environments as values. Removes variables that would mislead a launcher.
#pragma once

#include <map>
#include <string>

namespace ductile::rms {

using Environment = std::map<std::string, std::string>;

/// This process's environment.
[[nodiscard]] Environment current_environment();

/// Removes the variables that make an MPI launcher, an MPI library or Slurm take the program for a
/// part of another run: PMI_*, PMIX_*, HYDRA_*, HYDI_*, MPIEXEC_*, OMPI_COMM_WORLD_* and similar
/// ones, I_MPI_PMI_LIBRARY, SRUN_*, SLURMD_*, and all of SLURM_* except SLURM_CONF. {PMI_RANK: 3,
/// PATH: /bin, SLURM_CONF: /c, SLURM_JOBID: 7} gives {PATH: /bin, SLURM_CONF: /c}.
[[nodiscard]] Environment without_launcher_variables(Environment environment);

/// As without_launcher_variables(), but keeps the variables of Slurm that say the same on every
/// host and after every resize: SLURM_JOB_ID, SLURM_ARRAY_TASK_ID, SLURM_CPUS_PER_TASK,
/// SLURM_TMPDIR and others. For ranks that no launcher starts.
[[nodiscard]] Environment without_misleading_variables(Environment environment);

}  // namespace ductile::rms
