#include "rms/command_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace ductile::rms {
namespace {

constexpr std::string_view launcher_prefixes[] = {
    "PMI_",
    "PMI2_",
    "PMIX_",
    "PMIX2_",
    "HYDRA_",
    "HYDI_",
    "MPIEXEC_",
    "MPIR_CVAR_PMI",
    "MPI_LOCAL",
    "PRTE_",
    "ORTE_",
    "OMPI_COMM_WORLD_",
    "MV2_COMM_WORLD_",
    "OMPI_UNIVERSE_",
    "OMPI_MCA_ess_",
    "I_MPI_PMI_LIBRARY"};  // Slurm's library of PMI, which asks Slurm instead of Ductile
constexpr std::string_view slurm_prefixes[] = {"SLURM_", "SLURMD_", "SRUN_"};

/// The variables of Slurm that must not reach ranks. docs/resource-managers.md has them, too.
constexpr std::string_view misleading_prefixes[] = {
    // They describe the hosts and tasks at the start of the Slurm job. A resize changes the hosts.
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_JOB_NUM_NODES",
    "SLURM_NODELIST",
    "SLURM_JOB_NODELIST",
    "SLURM_TASKS_PER_NODE",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_HET_SIZE",
    // They describe one task or one host. All ranks would get the same.
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_GTIDS",
    "SLURM_TASK_PID",
    "SLURM_CPUS_ON_NODE",
    "SLURM_JOB_GPUS",
    "SLURM_SHARDS_ON_NODE",
    "SLURM_TOPOLOGY_ADDR",
    "SLURMD_",
    // They describe the step in which `ductile run` was started. An MPI or srun uses them.
    "SLURM_STEP",
    "SLURM_SRUN_",
    "SLURM_LAUNCH_NODE_IPADDR",
    "SLURM_CPU_BIND",
    "SLURM_MEM_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_MPI_TYPE",
    "SLURM_PMI",
    // srun and salloc read them as options, and then wait or fail.
    "SRUN_",
    "SALLOC_",
    "SLURM_CLUSTERS",
    "SLURM_CONSTRAINT",
    "SLURM_CPUS_PER_GPU",
    "SLURM_DEPENDENCY",
    "SLURM_EXCLUSIVE",
    "SLURM_EXPORT_ENV",
    "SLURM_GPUS",
    "SLURM_GRES",
    "SLURM_HINT",
    "SLURM_HOSTFILE",
    "SLURM_IMMEDIATE",
    "SLURM_MEM_PER_GPU",
    "SLURM_MEM_PER_NODE",
    "SLURM_THREADS_PER_CORE",
    "SLURM_WORKING_CLUSTER",
};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(
        prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_of_slurm(std::string_view name) {
    return name != "SLURM_CONF" && begins_with_one_of(name, slurm_prefixes);
}

}  // namespace

Environment current_environment() {
    Environment result;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view entry = *at;
        const auto equals = entry.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        result.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return result;
}

Environment without_launcher_variables(Environment environment) {
    std::erase_if(environment, [](const auto& variable) {
        return is_of_slurm(variable.first) || begins_with_one_of(variable.first, launcher_prefixes);
    });
    return environment;
}

Environment without_misleading_variables(Environment environment) {
    std::erase_if(environment, [](const auto& variable) {
        return begins_with_one_of(variable.first, misleading_prefixes) ||
               begins_with_one_of(variable.first, launcher_prefixes);
    });
    return environment;
}

}  // namespace ductile::rms
