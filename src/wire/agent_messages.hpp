// What agents and the broker say to each other: orders and news on one connection, standard streams
// on a second one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_rank_messages.hpp"
#include "wire/group_fields.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::wire {

struct AgentHello {
    static constexpr std::string_view name = "agent_hello";
    std::string job;
    HostIndex host;
    Generation generation;
    int pid = 0;
    std::string host_name;               ///< gethostname there, for messages only
    std::vector<std::string> addresses;  ///< where other agents reach it when it is the deputy
    int port = 0;
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes), v.id("host", host), v.id("generation", generation);
        v.number("pid", pid, 1, INT32_MAX), v.text("host_name", host_name, limits::name_bytes);
        v.texts("addresses", addresses, 16, limits::name_bytes), v.number("port", port, 0, 65535);
    }
};
struct Beat {
    static constexpr std::string_view name = "beat";
    template <class V>
    void visit(V&) {}
};
struct FromRanks {
    static constexpr std::string_view name = "from_ranks";
    GroupId group;
    Rank rank;
    FromRank message;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.message("message", message);
    }
};
/// A rank's process has ended. `hello`: it had made a Job; `goodbye`: its Job had ended or it had
/// left.
struct RankEnded {
    static constexpr std::string_view name = "rank_ended";
    GroupId group;
    Rank rank;
    int code = 0;
    int signal = 0;
    bool hello = false, goodbye = false;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("code", code, 0, 255);
        v.number("signal", signal, 0, 128), v.flag("hello", hello), v.flag("goodbye", goodbye);
        v.text("why", why, limits::text_bytes);
    }
};
/// A launcher run (on a further host of a group: the proxy there) has ended, and no process of its
/// group is left on this host. `text`: what it said itself.
struct RunEnded {
    static constexpr std::string_view name = "run_ended";
    GroupId group;
    int code = 0;
    int signal = 0;
    std::string text;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("code", code, 0, 255), v.number("signal", signal, 0, 128);
        v.text("text", text, limits::text_bytes);
    }
};
/// Answer to StartRun of a group that a rank starts: this host is there, and the program, too.
struct Expecting {
    static constexpr std::string_view name = "expecting";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
/// The mpiexec of a group wants a proxy on another host: of its own, if its group spans hosts, or
/// of a group that one of its ranks starts.
struct ProxyWanted {
    static constexpr std::string_view name = "proxy_wanted";
    GroupId group;   ///< of mpiexec
    GroupId starts;  ///< of the ranks there
    int part = 0;    ///< the place of the host among those of `starts`
    std::vector<std::string> argv;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("starts", starts), v.number("part", part, 0, limits::groups);
        v.texts("argv", argv, limits::proxy_arguments, limits::text_bytes);
    }
};
struct StandInEnded {
    static constexpr std::string_view name = "stand_in_ended";
    TransactionId transaction;
    bool ok = false;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("ok", ok), v.text("why", why, limits::text_bytes);
    }
};
/// Something a person should read.
struct Notice {
    static constexpr std::string_view name = "notice";
    std::string text;
    template <class V>
    void visit(V& v) {
        v.text("text", text, limits::text_bytes);
    }
};
/// All runs have ended, all output is sent, nothing of the job is left here; the agent ends.
struct AgentGoodbye {
    static constexpr std::string_view name = "agent_goodbye";
    template <class V>
    void visit(V&) {}
};

/// A rank as its agent knows it.
struct RankStock {
    bool hello = false, goodbye = false, ended = false;
    int code = 0;
    int signal = 0;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.flag("hello", hello), v.flag("goodbye", goodbye), v.flag("ended", ended);
        v.number("code", code, 0, 255), v.number("signal", signal, 0, 128);
        v.text("why", why, limits::text_bytes);
    }
};
/// A group, or its part on this host.
struct GroupStock {
    GroupId group;
    int first_rank = 0;
    std::vector<RankStock> ranks;
    bool member = false;     ///< not newcomers, or no more
    bool dismissed = false;  ///< it has been told to leave, or to end
    bool ended = false;      ///< nothing of it is left here
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("first_rank", first_rank, 0, limits::ranks);
        v.list("ranks", ranks, limits::ranks), v.flag("member", member);
        v.flag("dismissed", dismissed), v.flag("ended", ended);
    }
};
/// Answer to TakeStock: all groups that were ever started by this agent.
struct Stock {
    static constexpr std::string_view name = "stock";
    std::vector<GroupStock> groups;
    template <class V>
    void visit(V& v) {
        v.list("groups", groups, limits::groups);
    }
};

using FromAgent = std::variant<AgentHello, Beat, FromRanks, RankEnded, RunEnded, Expecting,
                               ProxyWanted, StandInEnded, Stock, Notice, AgentGoodbye>;

/// What every launcher run of the job shares: captured once, in the environment of `ductile run`.
struct AgentWelcome {
    static constexpr std::string_view name = "agent_welcome";
    std::vector<std::string>
        environment;  ///< NAME=VALUE, already cleaned (core of clean_environment)
    std::string directory;
    int umask = 022;
    std::vector<std::string>
        resource_limits;  ///< "RESOURCE SOFT HARD", numbers as for setrlimit; -1 is infinity
    std::vector<std::string> launcher;  ///< mpiexec and its arguments, without -n
    std::vector<std::string> program;   ///< program and its arguments
    double beat_s = 1, beat_limit_s = 5, orphan_limit_s = 60, leave_within_s = 30;
    template <class V>
    void visit(V& v) {
        v.texts("environment", environment, limits::environment_entries, limits::environment_bytes);
        v.text("directory", directory, limits::text_bytes), v.number("umask", umask, 0, 0777);
        v.texts("resource_limits", resource_limits, 64, limits::name_bytes),
            v.texts("launcher", launcher, 64, limits::text_bytes);
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
/// Start a group, or the part of it that is on this host; `welcome` is what its ranks get. The
/// first host's agent starts the launcher run; on a further host StartProxy follows, when mpiexec
/// has asked for it.
struct StartRun {
    static constexpr std::string_view name = "start_run";
    GroupId group;
    int ranks = 0;       ///< on this host
    bool input = false;  ///< rank 0 of this group gets the job's standard input
    std::variant<RankWelcome> welcome;
    int first_rank = 0;  ///< the group's first one on this host; 0 on its first host alone
    std::vector<WorldHost> world;  ///< for the first host: all hosts, if there are several
    bool spawned = false;  ///< a rank of another group starts it: StartProxy follows on each host
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("ranks", ranks, 1, limits::ranks), v.flag("input", input);
        v.message("welcome", welcome), v.number("first_rank", first_rank, 0, limits::ranks);
        v.list("world", world, limits::groups), v.flag("spawned", spawned);
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
/// Pass on to ranks of this host: to those of `groups`, and of these to `rank` alone if it is not
/// -1.
struct ToRanks {
    static constexpr std::string_view name = "to_ranks";
    std::vector<GroupId> groups;
    Rank rank{-1};
    ToRank message;
    template <class V>
    void visit(V& v) {
        v.ids("groups", groups, limits::groups), v.id("rank", rank), v.message("message", message);
    }
};
/// Run the stand-in: connect to `port` as a singleton and say "abandoned".
struct RunStandIn {
    static constexpr std::string_view name = "run_stand_in";
    TransactionId transaction;
    std::string port;
    std::string secret;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("port", port, limits::port_bytes);
        v.text("secret", secret, limits::name_bytes);
    }
};
/// These groups have left: what is left of them after leave_within_s is killed. Answered by
/// RunEnded for each.
struct GroupsLeave {
    static constexpr std::string_view name = "groups_leave";
    std::vector<GroupId> groups;
    template <class V>
    void visit(V& v) {
        v.ids("groups", groups, limits::groups);
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
struct Deputy {
    static constexpr std::string_view name = "deputy";
    HostIndex host;                      ///< of the deputy
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
struct TakeStock {
    static constexpr std::string_view name = "take_stock";
    template <class V>
    void visit(V&) {}
};

using ToAgent =
    std::variant<AgentWelcome, Beat, StartRun, StartProxy, ProxyEnded, KillRun, ToRanks, RunStandIn,
                 GroupsLeave, FinishAgent, EndJob, SignalRanks, Deputy, TakeStock>;

struct Output {
    static constexpr std::string_view name = "output";
    GroupId group;
    Rank rank;
    int stream = 1;
    std::string data;  ///< whole lines; the last one of a rank may lack its newline
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("stream", stream, 1, 2);
        v.bytes("data", data, limits::data_bytes);
    }
};
struct Input {
    static constexpr std::string_view name = "input";
    std::string data;  ///< empty: standard input is at its end
    template <class V>
    void visit(V& v) {
        v.bytes("data", data, limits::data_bytes);
    }
};
/// First message of the connection; after the last Output an agent sends AgentGoodbye here, too.
using FromStream = std::variant<AgentHello, Output, AgentGoodbye>;
using ToStream = std::variant<Input>;

}  // namespace ductile::wire
