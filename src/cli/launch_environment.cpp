#include "cli/launch_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ductile::cli {

void add_environment(broker::LaunchSpec& launch, const std::map<std::string, std::string>& more) {
    for (const auto& [name, value] : more) {
        const auto begin = name + "=";
        std::erase_if(launch.environment,
                      [&begin](const std::string& entry) { return entry.starts_with(begin); });
        launch.environment.push_back(begin + value);
    }
}

void put_first(broker::LaunchSpec& launch, const std::string& name, const std::string& path) {
    std::string others;
    for (const auto& entry : launch.environment)
        if (entry.starts_with(name + "=")) others = entry.substr(name.size() + 1);
    add_environment(launch, {{name, others.empty() ? path : path + ":" + others}});
}

void share_no_memory_under_odd_umask(broker::LaunchSpec& launch, const mpi::Capabilities& mpi) {
    constexpr int own_bits = 0600;
    if ((launch.umask & own_bits) == 0 || ::geteuid() == 0) return;
    if (mpi.implementation != "MPICH") return;
    add_environment(launch, {{"MPIR_CVAR_NOLOCAL", "1"}});
    fmt::print(stderr,
               "ductile: with umask {:04o} you cannot open your own new files, so ranks of one "
               "machine share no memory (MPIR_CVAR_NOLOCAL=1); with umask 0077 they share memory\n",
               launch.umask);
}

}  // namespace ductile::cli
