#include "rms/command_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ductile::rms {
namespace {

constexpr std::array<std::string_view, 16> launcher_prefixes = {
    "PMI_",           "PMI2_",         "PMIX_",     "PMIX2_", "HYDRA_", "HYDI_",
    "MPIEXEC_",       "MPIR_CVAR_PMI", "MPI_LOCAL", "PRTE_",  "ORTE_",  "OMPI_COMM_WORLD_",
    "OMPI_UNIVERSE_", "OMPI_MCA_ess_", "SLURM_",    "SLURMD_"};

bool misleads_a_launcher(std::string_view name) {
    if (name == "SLURM_CONF") return false;
    return std::any_of(launcher_prefixes.begin(), launcher_prefixes.end(),
                       [name](std::string_view prefix) { return name.starts_with(prefix); });
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
    std::erase_if(environment,
                  [](const auto& variable) { return misleads_a_launcher(variable.first); });
    return environment;
}

}  // namespace ductile::rms
