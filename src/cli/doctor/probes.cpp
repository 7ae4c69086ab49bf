#include "cli/doctor/probes.hpp"

namespace ductile::cli {

const std::vector<Probe>& all_probes() {
    static const std::vector<Probe> probes = {
        {"pmi1", "pmi1.c", {{"program", 2}}, "", 1, true},
        {"thread_level", "thread_level.c", {{"program", 2}}, "pmi1"},
        {"spawn", "spawn.c", {{"program", 1}}, "thread_level"},
        {"spawn_nested", "spawn_nested.c", {{"program", 2}}, "spawn"},
        {"spawn_joined", "spawn_joined.c", {{"program", 2}}, "spawn", 2},
        {"open_port", "open_port.c", {{"program", 1}}, "thread_level"},
        {"connect", "connect.c", {{"program", 1}, {"newcomer", 1}}, "open_port"},
        {"strangers", "strangers.c", {{"program", 2}, {"newcomers", 2}}, "connect"},
        {"host_free", "leave.c", {{"program", 2}, {"newcomers", 2}}, "strangers"},
        {"newcomer_killed_before",
         "newcomer_dies.c",
         {{"program", 2, 1, true}, {"first_before", 2, 1, true}, {"second", 2, 1, true}},
         "strangers",
         2},
        {"newcomer_killed_halfway",
         "newcomer_dies.c",
         {{"program", 2, 1, true}, {"first_halfway", 2, 1, true}, {"second", 2, 1, true}},
         "strangers",
         2},
        {"abort_connector",
         "abort_connector.c",
         {{"program", 2}, {"abort_connector", 0}},
         "connect"},
        {"worlds", "worlds.c", {{"program", 1}, {"newcomer", 1, probed_worlds}}, "connect"},
    };
    return probes;
}

std::vector<std::string> launcher_of(const mpi::Capabilities& can, const std::string& mpiexec,
                                     const std::string& probe_ranks) {
    if (can.agents_start_ranks) return {probe_ranks};
    if (can.implementation == "Open MPI")
        return {mpiexec, "--oversubscribe", "--allow-run-as-root"};
    return {mpiexec};
}

}  // namespace ductile::cli
