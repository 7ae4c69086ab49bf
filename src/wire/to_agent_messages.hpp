// What the broker orders its agents.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_agent_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::wire {

/// What every launcher run of the job shares: captured once, in the environment of `ductile run`.
struct AgentWelcome {
    static constexpr std::string_view name = "agent_welcome";
    std::vector<std::string>
        environment;  ///< NAME=VALUE, already cleaned (core of clean_environment)
    std::string directory;
    int umask = 022;
    std::vector<std::string>
        resource_limits;  ///< "RESOURCE SOFT HARD", numbers as for setrlimit; -1 is infinity
    std::vector<std::string> launcher;  ///< mpiexec and its arguments, without those that say where
                                        ///< how many ranks start, which are, for
    std::vector<std::string> launcher_here;     ///< a group on the host where mpiexec runs, and
    std::vector<std::string> launcher_further;  ///< one on other hosts, too, with {ranks}, {hosts}
                                                ///< and {first} in them (mpi::LauncherWords)
    std::vector<std::string> folder_variables;  ///< that name a folder of the run's own
    bool serves_pmi = false;  ///< the agents start the ranks; else mpiexec does, and these count:
    bool keeps_daemons = false;         ///< proxies end with their mpiexec, not with their ranks
    bool spawn_blocks_threads = false;  ///< as of mpi::Capabilities
    std::vector<std::string> program;   ///< program and its arguments
    double beat_s = 1, beat_limit_s = 5, orphan_limit_s = 60, leave_within_s = 30;
    template <class V>
    void visit(V& v) {
        v.texts("environment", environment, limits::environment_entries, limits::environment_bytes);
        v.text("directory", directory, limits::text_bytes), v.number("umask", umask, 0, 0777);
        v.texts("resource_limits", resource_limits, 64, limits::name_bytes),
            v.texts("launcher", launcher, 64, limits::text_bytes);
        v.texts("launcher_here", launcher_here, 64, limits::text_bytes);
        v.texts("launcher_further", launcher_further, 64, limits::text_bytes);
        v.texts("folder_variables", folder_variables, 64, limits::name_bytes);
        v.flag("serves_pmi", serves_pmi), v.flag("keeps_daemons", keeps_daemons);
        v.flag("spawn_blocks_threads", spawn_blocks_threads);
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
        v.seconds("beat_s", beat_s), v.seconds("beat_limit_s", beat_limit_s);
        v.seconds("orphan_limit_s", orphan_limit_s), v.seconds("leave_within_s", leave_within_s);
    }
};
/// A host of a group that spans several.
struct WorldHost {
    HostIndex host;
    std::string name;  ///< as mpiexec is told it
    int ranks = 0;
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.text("name", name, limits::name_bytes),
            v.number("ranks", ranks, 1, limits::ranks);
    }
};
/// Start a group, or the part of it that is on this host; `welcome` is what its ranks get. Of a
/// ServedWorld the agent starts the ranks itself. Else the first host's agent starts the
/// launcher run, and on a further host StartProxy follows when mpiexec has asked for it.
struct StartRun {
    static constexpr std::string_view name = "start_run";
    GroupId group;
    int ranks = 0;       ///< on this host
    bool input = false;  ///< rank 0 of this group gets the job's standard input
    std::variant<RankWelcome> welcome;
    int first_rank = 0;  ///< the group's first one on this host; 0 on its first host alone
    std::vector<WorldHost> world;  ///< for the first host: all hosts, if there are several
    bool spawned = false;  ///< a rank of another group starts it: StartRanks or StartProxy follows
    std::variant<ByLauncher, ServedWorld> manager;
    std::vector<ChildFields> children;  ///< empty: the ranks run the job's program
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("ranks", ranks, 1, limits::ranks), v.flag("input", input);
        v.message("welcome", welcome), v.number("first_rank", first_rank, 0, limits::ranks);
        v.list("world", world, limits::groups), v.flag("spawned", spawned);
        v.message("manager", manager),
            v.list("children", children, pmi::limits::commands_per_spawn);
    }
};
/// Start the proxy for a group's ranks on this host; it belongs to an mpiexec elsewhere.
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
/// To where an mpiexec runs: a proxy of it on another host has ended (fields as of ProxyWanted).
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
/// End a group now: its ranks, its launcher run and whatever they started (SIGKILL); where mpiexec
/// has proxies of other groups, the ranks alone. Answered by RunEnded.
struct KillRun {
    static constexpr std::string_view name = "kill_run";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
/// Pass on to these ranks of this host.
struct ToRanks {
    static constexpr std::string_view name = "to_ranks";
    std::vector<RangeFields> ranks;
    ToRank message;
    template <class V>
    void visit(V& v) {
        v.list("ranks", ranks, limits::ranges), v.message("message", message);
    }
};
/// Run the abort connector: connect to `port` as a singleton and say "abandoned".
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
/// These ranks have left: who has not ended after leave_within_s is killed.
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
    bool has_ended = false;  ///< there is no more of it
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.flag("has_ended", has_ended);
    }
};
/// No more runs here: end when the last one has ended and all output is sent; answered by
/// AgentGoodbye.
struct FinishAgent {
    static constexpr std::string_view name = "finish_agent";
    template <class V>
    void visit(V&) {}
};
/// Kill every run at once, then as FinishAgent.
struct EndJob {
    static constexpr std::string_view name = "end_job";
    std::string why;
    template <class V>
    void visit(V& v) {
        v.text("why", why, limits::text_bytes);
    }
};
/// Signal every rank of the host (SIGTERM on Ctrl-C, SIGUSR1 and the like passed on).
struct SignalRanks {
    static constexpr std::string_view name = "signal_ranks";
    int signal = 0;
    template <class V>
    void visit(V& v) {
        v.number("signal", signal, 1, 64);
    }
};
/// Who takes the broker's place when it is gone: the agent of the job's rank 0. Its peers report to
/// it.
struct Coordinator {
    static constexpr std::string_view name = "coordinator";
    HostIndex host;                      ///< of the coordinator
    std::vector<std::string> addresses;  ///< where it listens
    int port = 0;
    std::vector<HostIndex> members;  ///< hosts that hold members of the job
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.texts("addresses", addresses, 16, limits::name_bytes);
        v.number("port", port, 0, 65535), v.ids("members", members, limits::groups);
    }
};

/// From a broker that has taken the job over: what runs here? Ranks are told that the old one is
/// lost, if they were not yet, and that this one is there.
struct QueryInventory {
    static constexpr std::string_view name = "query_inventory";
    template <class V>
    void visit(V&) {}
};

using ToAgent = std::variant<AgentWelcome, Heartbeat, StartRun, StartProxy, ProxyEnded, KillRun,
                             ToRanks, RunAbortConnector, RanksLeave, GiveInput, FinishAgent, EndJob,
                             SignalRanks, Coordinator, QueryInventory, StartRanks, BarrierReleased,
                             OpenGate, NameAnswer, SpawnAnswer>;

}  // namespace ductile::wire
