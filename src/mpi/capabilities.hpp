// What an MPI can do, as data. Code asks this data, and not the name of the vendor
// (docs/architecture.md lists the exceptions).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::mpi {

/// The arguments of a launcher. Empty for an MPI whose ranks the agents start. Placeholders:
/// {remote} is the program that starts the launcher's daemons on other hosts, {folder} the
/// launcher's own folder, {ranks} the number of ranks, and {hosts} "NAME:RANKS,NAME:RANKS".
struct LauncherWords {
    std::vector<std::string> always;         ///< the first arguments
    std::vector<std::string> one_host;       ///< added if all ranks are on the launcher's host
    std::vector<std::string> several_hosts;  ///< added if there are ranks on other hosts
    bool operator==(const LauncherWords&) const = default;
};

/// How MPI_Comm_spawn learns the hosts and their numbers of ranks.
enum class SpawnHosts {
    by_key,    ///< the info key `hosts`; names are addresses (wire::proxy_name)
    by_entry,  ///< one entry of MPI_Comm_spawn_multiple for each host, with `add-host` and `host`;
               ///< names are words without dots (wire::proxy_word)
};

/// What an MPI library and its launcher can do for a job that grows and shrinks. A
/// default-constructed value is the conservative answer: no capability is known.
struct Capabilities {
    std::string implementation = "unknown";  ///< "MPICH", "Open MPI", "Intel MPI" or "unknown"
    std::string version;                     ///< "5.0.2"; empty when unknown
    std::string device;                      ///< "ch4:ucx ofi", "ch3:nemesis"; empty when unknown

    bool spawn = false;                 ///< MPI_Comm_spawn works
    bool parallel_spawn = false;        ///< new processes can spawn and connect at the same time
    bool spawn_counts_by_host = false;  ///< one MPI_Comm_spawn can start ranks on several hosts
    SpawnHosts spawn_hosts = SpawnHosts::by_key;
    /// MPI_Comm_spawn blocks the other threads of its process in MPI until the new ranks have
    /// connected. A program whose ranks talk to each other stands still for that time.
    bool spawn_blocks_threads = false;
    /// New ranks cannot be joined with ranks of a world that took no part in their MPI_Comm_spawn.
    bool spawn_hides_other_worlds = false;
    bool open_port = false;            ///< MPI_Open_port works (with `environment`)
    bool independent_connect = false;  ///< worlds that were started independently can connect
    /// MPI_Intercomm_create can join groups that do not know each other, over a bridge of their
    /// leaders.
    bool introduces_strangers = false;
    /// MPI_Finalize completes without error in a process that was connected with others. If not, no
    /// rank of a job calls it, because the ranks of one world must all do the same.
    bool finalises = true;
    /// The launcher starts ranks on other hosts by daemons, which must stay there until the
    /// launcher ends. So a host that the job has left has no ranks, but the job cannot give it back
    /// before the launcher ends.
    bool keeps_daemons = false;
    /// MPI_Win_lock returns among ranks of several worlds (docs/mpi.md, "One-sided calls").
    bool locks_between_worlds = false;
    bool survives_newcomer_death = false;  ///< members continue when a newcomer dies in its join

    /// The job must stay below these limits, because the MPI aborts a process that reaches one. 0:
    /// no limit is known.
    int max_worlds_in_life = 0;          ///< worlds that a process meets in its life, its own too
    int max_worlds_in_communicator = 0;  ///< worlds in one communicator
    int max_ports = 0;  ///< ports that a process opens in its life, closed ones too

    LauncherWords launcher;
    /// The MPI's processes connect to a port and speak PMI-1 there (PMI_PORT). So the process that
    /// starts them can be their process manager.
    bool speaks_pmi1 = false;
    /// The MPI does not find a port of 127.0.0.1 on a host that has no other IPv4 address. There
    /// its processes inherit a socket (PMI_FD).
    bool port_needs_ipv4 = false;
    /// The agents start the ranks and are their process manager; only started_by_agents() sets
    /// this. Otherwise a launcher starts the ranks.
    bool agents_start_ranks = false;
    /// Environment variables that the MPI's processes need, including the launcher.
    std::map<std::string, std::string> environment;
    /// Variables that name the MPI's own folders. The folders are below its prefix.
    std::map<std::string, std::string> prefix_environment;
    /// Variables that name a folder for the MPI's files. Each daemon has such a folder of its own.
    std::vector<std::string> folder_variables;
    /// More variables that the processes need if there is only TCP and no fast network.
    std::map<std::string, std::string> plain_network_environment;
    /// More variables if there are more ranks than cores: they make waiting ranks give up their
    /// core.
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
    /// The refusal holds only until the probes of `ductile doctor` pass. No problem is known that
    /// the probes cannot see.
    bool refused_until_probed = false;

    /// Whether groups that are started independently of each other can be joined over a bridge of
    /// their leaders (the start `launch`).
    [[nodiscard]] bool can_launch_groups() const {
        return refused.empty() && open_port && independent_connect && introduces_strangers;
    }
    bool operator==(const Capabilities&) const = default;
};

/// The known capabilities of the MPI with this version text: the output of `mpiexec --version` or
/// of `mpichversion`, or the text of MPI_Get_library_version. Unknown text gives a
/// default-constructed value that is refused. Example: "HYDRA build details:\n    Version: 5.0.2\n
/// ... --with-device=ch4:ofi" gives MPICH 5.0.2, max_worlds_in_life 1023, environment
/// {MPICH_CH4_NETMOD: ofi}.
[[nodiscard]] Capabilities known_capabilities(std::string_view version_text);

/// The capabilities of this MPI if the agents are the process managers, without its launcher.
/// Precondition: speaks_pmi1.
[[nodiscard]] Capabilities started_by_agents(Capabilities can);

/// The capabilities that a job uses by default: if the MPI speaks PMI-1, the agents start the
/// ranks.
[[nodiscard]] Capabilities in_a_job(Capabilities can);

}  // namespace ductile::mpi
