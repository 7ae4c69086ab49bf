// The orders of the broker to its agents.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_agent_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::wire {

/// What all starts of ranks in the job share. `ductile run` collects it once, when it starts.
struct AgentWelcome {
    static constexpr std::string_view name = "agent_welcome";
    std::vector<std::string> environment;  ///< NAME=VALUE, without the variables of launchers
    /// NAME=VALUE, for runs of more StartRun::machine_slots than the agent may use cores
    std::vector<std::string> shared_cores_environment;
    std::string directory;
    int umask = 022;
    std::vector<std::string>
        resource_limits;  ///< "RESOURCE SOFT HARD", numbers as for setrlimit; -1 is infinity
    std::vector<std::string> launcher;          ///< mpiexec and its first arguments
    std::vector<std::string> launcher_here;     ///< next arguments, for a group on one host
    std::vector<std::string> launcher_further;  ///< or for several hosts (see mpi::LauncherWords)
    std::vector<std::string> folder_variables;  ///< variables that name the launcher's folder
    bool serves_pmi = false;                    ///< the agents start the ranks; false: mpiexec does
    bool keeps_daemons = false;         ///< proxies end with their mpiexec, not with their ranks
    bool spawn_blocks_threads = false;  ///< see mpi::Capabilities
    bool meters_power = false;          ///< the agent sends HostPower
    std::vector<std::string> program;   ///< program and its arguments
    double heartbeat_s = 1, heartbeat_limit_s = 5, orphan_limit_s = 60, leave_within_s = 30;
    template <class V>
    void visit(V& v) {
        v.texts("environment", environment, limits::environment_entries, limits::environment_bytes);
        v.texts("shared_cores_environment", shared_cores_environment, 64, limits::text_bytes);
        v.text("directory", directory, limits::text_bytes), v.number("umask", umask, 0, 0777);
        v.texts("resource_limits", resource_limits, 64, limits::name_bytes),
            v.texts("launcher", launcher, 64, limits::text_bytes);
        v.texts("launcher_here", launcher_here, 64, limits::text_bytes);
        v.texts("launcher_further", launcher_further, 64, limits::text_bytes);
        v.texts("folder_variables", folder_variables, 64, limits::name_bytes);
        v.flag("serves_pmi", serves_pmi), v.flag("keeps_daemons", keeps_daemons);
        v.flag("spawn_blocks_threads", spawn_blocks_threads), v.flag("meters_power", meters_power);
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
        v.seconds("beat_s", heartbeat_s), v.seconds("beat_limit_s", heartbeat_limit_s);
        v.seconds("orphan_limit_s", orphan_limit_s), v.seconds("leave_within_s", leave_within_s);
    }
};
/// A host of a group that spans several hosts.
struct WorldHost {
    HostIndex host;
    std::string name;  ///< the name that mpiexec gets
    int ranks = 0;
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.text("name", name, limits::name_bytes),
            v.number("ranks", ranks, 1, limits::ranks);
    }
};
/// Start a group, or its part on this host. The ranks get `welcome`. For a ServedWorld the agent
/// starts the ranks itself. Otherwise the first host's agent starts the launcher run. On a further
/// host StartProxy follows, when mpiexec has asked for the proxy.
struct StartRun {
    static constexpr std::string_view name = "start_run";
    GroupId group;
    int ranks = 0;       ///< on this host
    bool input = false;  ///< rank 0 of this group gets the job's standard input
    std::variant<RankWelcome> welcome;
    int first_rank = 0;  ///< the group's first rank on this host; 0 only on the group's first host
    std::vector<WorldHost> world;  ///< all hosts, if there are several; only for the first host
    bool spawned = false;  ///< a rank of another group starts it: StartRanks or StartProxy follows
    std::variant<ByLauncher, ServedWorld> manager;
    std::vector<ChildFields> children;  ///< empty: the ranks run the job's program
    int machine_slots = 0;              ///< how many ranks of the job its machine may come to hold
    /// The numbers of the ranks on this host, which no other living process of the job has there.
    /// Empty if a launcher starts the ranks.
    std::vector<core::Rank> local_ranks;
    /// The ranks on this host, `ranks` of them. Empty: they follow each other from first_rank.
    std::vector<core::Rank> numbers = {};
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("ranks", ranks, 1, limits::ranks), v.flag("input", input);
        v.message("welcome", welcome), v.number("first_rank", first_rank, 0, limits::ranks);
        v.list("world", world, limits::groups), v.flag("spawned", spawned);
        v.message("manager", manager),
            v.list("children", children, pmi::limits::commands_per_spawn);
        v.number("machine_slots", machine_slots, 0, limits::ranks);
        v.ids("local_ranks", local_ranks, limits::ranks), v.ids("numbers", numbers, limits::ranks);
    }
};
/// Start the proxy for a group's ranks on this host. The proxy belongs to an mpiexec on another
/// host.
struct StartProxy {
    static constexpr std::string_view name = "start_proxy";
    GroupId group;
    std::vector<std::string> argv;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
        v.texts("argv", argv, limits::proxy_arguments, limits::text_bytes);
    }
};
/// To the agent where an mpiexec runs: its proxy on another host has ended (fields: see
/// ProxyWanted).
struct ProxyEnded {
    static constexpr std::string_view name = "proxy_ended";
    GroupId group;
    GroupId starts;
    int part = 0;
    int code = 0;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("starts", starts), v.number("part", part, 0, limits::groups);
        v.number("code", code, 0, 255);
    }
};
/// End a group now by SIGKILL: its ranks, its launcher run, and all processes that these started.
/// If its mpiexec also runs other groups, only the ranks of this group are killed. RunEnded is the
/// answer.
struct KillRun {
    static constexpr std::string_view name = "kill_run";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
/// Forward the message to these ranks of this host.
struct ToRanks {
    static constexpr std::string_view name = "to_ranks";
    std::vector<RangeFields> ranks;
    ToRank message;
    template <class V>
    void visit(V& v) {
        v.list("ranks", ranks, limits::ranges), v.message("message", message);
    }
};
/// Run the abort connector. It connects to `port` as a singleton and says "abandoned".
struct RunAbortConnector {
    static constexpr std::string_view name = "run_abort_connector";
    TransactionId transaction;
    std::string port;
    std::string secret;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("port", port, limits::port_bytes);
        v.text("secret", secret, limits::name_bytes);
    }
};
/// These ranks have left. The agent kills a rank that has not ended after leave_within_s.
struct RanksLeave {
    static constexpr std::string_view name = "ranks_leave";
    std::vector<RangeFields> ranks;
    template <class V>
    void visit(V& v) {
        v.list("ranks", ranks, limits::ranges);
    }
};
/// From now on the job's standard input goes to this rank, the job's new rank 0.
struct GiveInput {
    static constexpr std::string_view name = "give_input";
    GroupId group;
    Rank rank;
    bool has_ended = false;  ///< standard input has ended
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.flag("has_ended", has_ended);
    }
};
/// No more runs start here. The agent ends when its last run has ended and all output is sent.
/// AgentGoodbye is the answer.
struct FinishAgent {
    static constexpr std::string_view name = "finish_agent";
    template <class V>
    void visit(V&) {}
};
/// Kill all runs now, then do as for FinishAgent.
struct EndJob {
    static constexpr std::string_view name = "end_job";
    std::string why;
    template <class V>
    void visit(V& v) {
        v.text("why", why, limits::text_bytes);
    }
};
/// Send a signal that is for the program to the process groups of these ranks of this host.
struct SignalRanks {
    static constexpr std::string_view name = "signal_ranks";
    std::vector<RangeFields> ranks;
    int signal = 0;
    template <class V>
    void visit(V& v) {
        v.list("ranks", ranks, limits::ranges), v.number("signal", signal, 1, 64);
    }
};
/// Which agent takes the place of a lost broker: the agent on the host of the job's rank 0. The
/// other agents report to it.
struct Coordinator {
    static constexpr std::string_view name = "coordinator";
    HostIndex host;                      ///< the coordinator's
    std::vector<std::string> addresses;  ///< where it listens
    int port = 0;
    std::vector<HostIndex> members;  ///< hosts with members of the job
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.texts("addresses", addresses, 16, limits::name_bytes);
        v.number("port", port, 0, 65535), v.ids("members", members, limits::groups);
    }
};

/// From a broker that has taken the job over: it asks what runs here. The agent tells its ranks
/// that the old broker is lost, if they do not know it yet, and that the new broker is connected.
struct QueryInventory {
    static constexpr std::string_view name = "query_inventory";
    template <class V>
    void visit(V&) {}
};

using ToAgent = std::variant<AgentWelcome, Heartbeat, StartRun, StartProxy, ProxyEnded, KillRun,
                             ToRanks, RunAbortConnector, RanksLeave, GiveInput, FinishAgent, EndJob,
                             SignalRanks, Coordinator, QueryInventory, StartRanks, BarrierReleased,
                             WorldMapping, OpenGate, NameAnswer, SpawnAnswer>;

}  // namespace ductile::wire
