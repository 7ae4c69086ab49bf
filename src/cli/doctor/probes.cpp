#include "cli/doctor/probes.hpp"

namespace ductile::cli {

const std::vector<Probe>& all_probes() {
    static const std::vector<Probe> probes = {
        {"thread_level", "thread_level.c", {{"program", 2}}, ""},
        {"spawn", "spawn.c", {{"program", 1}}, "thread_level", true},
        {"spawn_nested", "spawn_nested.c", {{"program", 2}}, "spawn", true},
        {"spawn_joined", "spawn_joined.c", {{"program", 2}}, "spawn", true},
        {"open_port", "open_port.c", {{"program", 1}}, "thread_level"},
        {"connect", "connect.c", {{"program", 1}, {"newcomer", 1}}, "open_port"},
        {"strangers", "strangers.c", {{"program", 2}, {"newcomers", 2}}, "connect"},
        {"host_free", "leave.c", {{"program", 2}, {"newcomers", 2}}, "strangers"},
        {"newcomer_killed_before",
         "newcomer_dies.c",
         {{"program", 2, 1, true}, {"first_before", 2, 1, true}, {"second", 2, 1, true}},
         "strangers",
         false,
         2},
        {"newcomer_killed_halfway",
         "newcomer_dies.c",
         {{"program", 2, 1, true}, {"first_halfway", 2, 1, true}, {"second", 2, 1, true}},
         "strangers",
         false,
         2},
        {"stand_in", "stand_in.c", {{"program", 2}, {"stand_in", 0}}, "connect"},
        {"worlds", "worlds.c", {{"program", 1}, {"newcomer", 1, probed_worlds}}, "connect"},
    };
    return probes;
}

std::vector<std::string> launcher_options(const std::string& implementation, int ranks,
                                          bool spawns) {
    std::vector<std::string> options;
    if (implementation == "MPICH" || implementation == "Intel MPI")
        options = {"-rmk", "user", "-launcher", "fork"};
    // As `ductile run` starts a group. Not with spawning: mpiexec of 5.0.2 then often dies by
    // SIGPIPE at its end.
    if (implementation == "MPICH" && !spawns) options.emplace_back("-disable-auto-cleanup");
    if (implementation == "Open MPI") options = {"--oversubscribe", "--allow-run-as-root"};
    options.insert(options.end(), {"-n", std::to_string(ranks)});
    return options;
}

}  // namespace ductile::cli
