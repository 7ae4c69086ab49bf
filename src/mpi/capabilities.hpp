// What an MPI can do, as data: code asks the data, never the vendor's name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::mpi {

/// How a launcher is told what to do; empty for an MPI whose ranks the agents start. In the words
/// {remote} stands for the program that starts its daemons on other hosts, {folder} for the
/// launcher's own folder, {ranks} for the number of ranks and {hosts} for "NAME:RANKS,NAME:RANKS".
struct LauncherWords {
    std::vector<std::string> always;         ///< first
    std::vector<std::string> one_host;       ///< then, for ranks on the host where it runs
    std::vector<std::string> several_hosts;  ///< or, for ranks on that and on others
    bool operator==(const LauncherWords&) const = default;
};

/// How MPI_Comm_spawn is told on which hosts to start how many ranks.
enum class SpawnHosts {
    by_key,    ///< the info key `hosts`; names that look like addresses
    by_entry,  ///< one entry of MPI_Comm_spawn_multiple a host, with `add-host` and `host`; plain
               ///< words, of which nothing is cut off at a dot
};

/// What an MPI library and its launcher can do for a job that grows and shrinks. A
/// default-constructed value is the conservative answer: nothing is known to work.
struct Capabilities {
    std::string implementation = "unknown";  ///< "MPICH", "Open MPI", "Intel MPI" or "unknown"
    std::string version;                     ///< "5.0.2"; empty when unknown
    std::string device;                      ///< "ch4:ucx ofi", "ch3:nemesis"; empty when not said

    bool spawn = false;                 ///< MPI_Comm_spawn works
    bool parallel_spawn = false;        ///< new processes can spawn and connect at once
    bool spawn_counts_by_host = false;  ///< one of them can start ranks on several hosts
    SpawnHosts spawn_hosts = SpawnHosts::by_key;
    /// MPI_Comm_spawn keeps the other threads of its process out of MPI until the new ranks have
    /// connected: a program whose ranks talk to each other stands still for so long.
    bool spawn_blocks_threads = false;
    bool open_port = false;             ///< MPI_Open_port works (with `environment`)
    bool independent_connect = false;   ///< two launcher runs can connect and accept
    bool introduces_strangers = false;  ///< MPI_Intercomm_create over a bridge of two leaders
    /// MPI_Finalize returns, and well, in a process that was connected with others. If not, no rank
    /// of a job calls it: those of one world must all do the same.
    bool finalises = true;
    /// The daemons by which the launcher starts ranks on other hosts stay there until it ends, and
    /// must: a host that the job has left is empty, but it cannot be given back before.
    bool keeps_daemons = false;
    /// MPI_Win_lock returns among ranks of several worlds (docs/mpi.md, "One-sided calls").
    bool locks_between_worlds = false;
    bool survives_newcomer_death = false;  ///< members go on when a newcomer dies while it joins

    /// Limits to stay below (a process that reaches one is aborted by its MPI); 0: none known.
    int max_worlds_in_life = 0;          ///< worlds that a process meets in its life
    int max_worlds_in_communicator = 0;  ///< worlds in one communicator
    int max_ports = 0;                   ///< ports opened in a life, closed ones counted

    LauncherWords launcher;
    /// Its processes speak PMI-1 over a socket that they inherit (PMI_FD): whoever starts them can
    /// be their process manager.
    bool speaks_pmi1 = false;
    /// The agents are; set by started_by_agents() alone. Else a launcher starts them.
    bool agents_start_ranks = false;
    /// What the MPI's processes need in their environment, launcher included.
    std::map<std::string, std::string> environment;
    /// Variables that name the MPI's own folders: below its prefix.
    std::map<std::string, std::string> prefix_environment;
    /// Variables that name a folder for the MPI's files, of which each daemon has one of its own.
    std::vector<std::string> folder_variables;
    /// And what they need besides where there is no fast network, only TCP.
    std::map<std::string, std::string> plain_network_environment;
    /// And what makes ranks that wait give their core up, where there are more of them than cores.
    std::map<std::string, std::string> shared_cores_environment;
    [[nodiscard]] std::map<std::string, std::string> environment_on(bool fast_network,
                                                                    bool shared_cores) const {
        auto all = environment;
        if (!fast_network)
            all.insert(plain_network_environment.begin(), plain_network_environment.end());
        if (shared_cores)
            all.insert(shared_cores_environment.begin(), shared_cores_environment.end());
        return all;
    }
    /// Why Ductile does not run on this MPI; empty when it does.
    std::string refused;
    /// The refusal stands only until `ductile doctor`'s probes pass: nothing is known against what
    /// they cannot see.
    bool refused_until_probed = false;

    /// Whether groups can be started by a launcher run each and joined by their leaders (the
    /// default start).
    [[nodiscard]] bool can_launch_groups() const {
        return refused.empty() && open_port && independent_connect && introduces_strangers;
    }
    bool operator==(const Capabilities&) const = default;
};

/// What we know of the MPI that gave this text: the output of `mpiexec --version`, of
/// `mpichversion`, or the text of MPI_Get_library_version. Unknown text gives a default-constructed
/// value that is refused. Example: "HYDRA build details:\n    Version: 5.0.2\n ..." gives
/// MPICH 5.0.2, max_worlds_in_life 1023, environment {MPICH_CH4_NETMOD: ofi}.
[[nodiscard]] Capabilities known_capabilities(std::string_view version_text);

/// The same MPI without its launcher: what the agents as process managers change. Precondition:
/// speaks_pmi1.
[[nodiscard]] Capabilities started_by_agents(Capabilities can);

/// As a job takes the MPI where nothing else is asked for: the agents start the ranks of one that
/// speaks PMI-1.
[[nodiscard]] Capabilities in_a_job(Capabilities can);

}  // namespace ductile::mpi
