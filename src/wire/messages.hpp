// The protocol: what ranks, agents, the broker and the `ductile` program say to each other
// (docs/protocol.md).
//
//   rank, starter  <- Unix socket ->  agent  <- TCP, TLS 1.3 with a pre-shared key ->  broker  <-
//   Unix socket ->  ductile
//
// An agent passes what its ranks and the broker say to each other on as it is (FromRanks, ToRanks).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/layout.hpp"
#include "wire/fields.hpp"

namespace ductile::wire {

using core::Generation;
using core::GroupId;
using core::HostIndex;
using core::Rank;
using core::TransactionId;

struct GroupFields : core::Group {
    template <class V>
    void visit(V& v) {
        v.id("id", id), v.id("host", host), v.number("ranks", ranks, 1, limits::ranks);
    }
};

// ---- rank -> broker (through its agent)
// ------------------------------------------------------------------------

/// First message of a rank, sent before MPI_Init. `rank` is its rank in its own MCW.
struct RankHello {
    static constexpr std::string_view name = "rank_hello";
    GroupId group;
    Rank rank;
    int pid = 0;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("pid", pid, 1, INT32_MAX);
    }
};
/// The group's leader: MPI runs in all of the group; these ports are open, one per round in which
/// the group accepts.
struct Ready {
    static constexpr std::string_view name = "ready";
    int ranks = 0;
    std::string mpi;
    std::vector<int> rounds;
    std::vector<std::string> ports;
    template <class V>
    void visit(V& v);
};
struct RoundDone {
    static constexpr std::string_view name = "round_done";
    int round = 0;
    template <class V>
    void visit(V& v) {
        v.number("round", round, 0, 64);
    }
};
/// The leader of the new groups: they are one communicator, in the order of equation (9).
struct Formed {
    static constexpr std::string_view name = "formed";
    template <class V>
    void visit(V&) {}
};
struct BridgePort {
    static constexpr std::string_view name = "bridge_port";
    TransactionId transaction;
    std::string port;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("port", port, limits::port_bytes);
    }
};
/// The newcomers' leader: its next call is MPI_Comm_connect.
struct Entering {
    static constexpr std::string_view name = "entering";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// A leader: the bridge stands (hello exchanged), or why it does not.
struct Bridged {
    static constexpr std::string_view name = "bridged";
    TransactionId transaction;
    bool ok = false;
    std::string why;
    double accept_s = 0;  ///< how long accept or connect took
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("ok", ok), v.text("why", why, limits::text_bytes);
        v.seconds("accept_s", accept_s);
    }
};
/// Answer to Question: resize points entered so far, or that the rank will enter no more.
struct PointAnswer {
    static constexpr std::string_view name = "point_answer";
    TransactionId transaction;
    int attempt = 0;  ///< of the question
    std::int64_t count = 0;
    bool finished = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX), v.number("count", count, 0, INT64_MAX),
            v.flag("finished", finished);
    }
};
/// The job's rank 0 stands at the point that was announced: newcomers are to wake.
struct Arrived {
    static constexpr std::string_view name = "arrived";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Each source, after the last vote of a switch. Times are those of this rank; phases are filled by
/// rank 0.
struct SwitchDone {
    static constexpr std::string_view name = "switch_done";
    TransactionId transaction;
    bool committed = false;
    bool worn = false;
    bool leader = false;
    std::string why;
    double stall_s = 0, vote_s = 0, join_s = 0, redistribute_s = 0, commit_s = 0;
    std::int64_t bytes_sent = 0, peak_bytes = 0;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("committed", committed), v.flag("worn", worn);
        v.flag("leader", leader), v.text("why", why, limits::text_bytes),
            v.seconds("stall_s", stall_s);
        v.seconds("vote_s", vote_s), v.seconds("join_s", join_s),
            v.seconds("redistribute_s", redistribute_s);
        v.seconds("commit_s", commit_s), v.number("bytes_sent", bytes_sent, 0, INT64_MAX);
        v.number("peak_bytes", peak_bytes, 0, INT64_MAX);
    }
};
/// A rank whose switch is under way: something was done since the last such message (at most one a
/// second); the first one, from the job's rank 0, says that all sources have voted yes.
struct Progress {
    static constexpr std::string_view name = "progress";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// The job's rank 0, about twice a second: resize points entered so far.
struct Pace {
    static constexpr std::string_view name = "pace";
    std::int64_t count = 0;
    double time_s = 0;  ///< seconds on this host's monotonic clock
    template <class V>
    void visit(V& v) {
        v.number("count", count, 0, INT64_MAX), v.seconds("time_s", time_s);
    }
};
/// The job's rank 0, when its Job is made: limits set in code, hard bounds that a user may only
/// narrow (0: none).
struct CodeOptions {
    static constexpr std::string_view name = "code_options";
    int min = 0, max = 0, preferred = 0, multiple = 0;
    double inhibitor_s = 0;
    std::int64_t inhibitor_points = 0;
    template <class V>
    void visit(V& v) {
        v.number("min", min, 0, limits::ranks), v.number("max", max, 0, limits::ranks);
        v.number("preferred", preferred, 0, limits::ranks),
            v.number("multiple", multiple, 0, limits::ranks);
        v.seconds("inhibitor_s", inhibitor_s),
            v.number("inhibitor_points", inhibitor_points, 0, INT64_MAX);
    }
};
/// The rank's Job is destroyed, or the rank has left: its end with code 0 is no failure from now
/// on.
struct Goodbye {
    static constexpr std::string_view name = "goodbye";
    template <class V>
    void visit(V&) {}
};

using FromRank =
    std::variant<RankHello, Ready, RoundDone, Formed, BridgePort, Entering, Bridged, PointAnswer,
                 Arrived, SwitchDone, Progress, Pace, CodeOptions, Goodbye>;

// ---- broker -> rank (through its agent)
// ------------------------------------------------------------------------

enum class Role { initial, newcomer };

/// Answer to a rank's hello, given by its agent from StartRun.
struct RankWelcome {
    static constexpr std::string_view name = "rank_welcome";
    std::string job;
    Role role = Role::initial;
    TransactionId transaction{0};
    std::string secret;  ///< of this transaction; part of the hello of each connection (hex)
    int base_ranks = 0;  ///< ranks of the job before these groups (0 at the start of the job)
    std::vector<GroupFields>
        added;              ///< all groups that are started together with this one, by rising id
    double progress_s = 5;  ///< a switch without progress for so long is given up
    double vote_s =
        10;  ///< then, if the vote does not return for so long, the broker is asked to end the job
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes), v.choice("role", role, {"initial", "newcomer"});
        v.id("transaction", transaction), v.text("secret", secret, limits::name_bytes);
        v.number("base_ranks", base_ranks, 0, limits::ranks),
            v.list("added", added, limits::groups);
        v.seconds("progress_s", progress_s), v.seconds("vote_s", vote_s);
    }
};
/// Every rank of two sets of new groups: meet now. All ranks of a set call accept or connect
/// together.
struct Meet {
    static constexpr std::string_view name = "meet";
    int round = 0;
    std::string port;
    template <class V>
    void visit(V& v) {
        v.number("round", round, 0, 64), v.text("port", port, limits::port_bytes);
    }
};
/// New ranks: you are members now; the job has this layout and its count of resize points is
/// `point`.
struct Commit {
    static constexpr std::string_view name = "commit";
    TransactionId transaction;
    std::int64_t point = 0;
    std::vector<GroupFields> layout;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("point", point, 0, INT64_MAX);
        v.list("layout", layout, limits::groups);
    }
};
/// The job's rank 0: open a port for this transaction and say its name.
struct OpenBridge {
    static constexpr std::string_view name = "open_bridge";
    TransactionId transaction;
    std::string secret;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("secret", secret, limits::name_bytes);
    }
};
/// The newcomers' leader: say Entering, then connect to this port.
struct ConnectBridge {
    static constexpr std::string_view name = "connect_bridge";
    TransactionId transaction;
    std::string port;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("port", port, limits::port_bytes);
    }
};
/// The job's rank 0: the other side is in connect; accept now.
struct AcceptBridge {
    static constexpr std::string_view name = "accept_bridge";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Sources: a resize is (or is no longer) under way; resize_point() says `pending` meanwhile.
struct Underway {
    static constexpr std::string_view name = "underway";
    TransactionId transaction;
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on);
    }
};
/// Every source: arm, and answer how many points you have entered.
struct Question {
    static constexpr std::string_view name = "question";
    TransactionId transaction;
    int attempt = 0;  ///< a question that was called off is asked again under a new number
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX);
    }
};
enum class ResizeKind { expand, shrink };
/// Every source: the point at which all stop (final), and what is done there; point 0 cancels.
struct Decide {
    static constexpr std::string_view name = "decide";
    TransactionId transaction;
    std::int64_t point = 0;
    ResizeKind kind = ResizeKind::expand;
    std::vector<GroupFields> added;
    std::vector<GroupId> leaving;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("point", point, 0, INT64_MAX);
        v.choice("kind", kind, {"expand", "shrink"}), v.list("added", added, limits::groups);
        v.ids("leaving", leaving, limits::groups);
    }
};
/// Newcomers: the sources are at the point; enter the join.
struct Join {
    static constexpr std::string_view name = "join";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Sources: the newcomers of this transaction are lost; vote no.
struct Abandon {
    static constexpr std::string_view name = "abandon";
    TransactionId transaction;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("why", why, limits::text_bytes);
    }
};
/// From the agent itself: no broker answers any more (until a resumed one does).
struct BrokerLost {
    static constexpr std::string_view name = "broker_lost";
    template <class V>
    void visit(V&) {}
};

using ToRank = std::variant<RankWelcome, Meet, Commit, OpenBridge, ConnectBridge, AcceptBridge,
                            Underway, Question, Decide, Join, Abandon, BrokerLost>;

// ---- starter -> agent
// ------------------------------------------------------------------------------------------

/// With this message travel two file descriptors (SCM_RIGHTS): the read ends of the rank's stdout
/// and stderr.
struct StarterHello {
    static constexpr std::string_view name = "starter_hello";
    GroupId group;
    Rank rank;
    int pid = 0;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("pid", pid, 1, INT32_MAX);
    }
};
struct StarterStarted {
    static constexpr std::string_view name = "starter_started";
    int pid = 0;  ///< of the rank
    template <class V>
    void visit(V& v) {
        v.number("pid", pid, 1, INT32_MAX);
    }
};
/// The rank's wait status: its exit code, or 128 + signal. 127: the program could not be executed
/// (`why`).
struct StarterEnded {
    static constexpr std::string_view name = "starter_ended";
    int code = 0;
    int signal = 0;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.number("code", code, 0, 255), v.number("signal", signal, 0, 128),
            v.text("why", why, limits::text_bytes);
    }
};
/// Agent -> starter: with it travels one file descriptor, the rank's standard input.
struct StarterWelcome {
    static constexpr std::string_view name = "starter_welcome";
    template <class V>
    void visit(V&) {}
};

using FromLocal = std::variant<RankHello, Ready, RoundDone, Formed, BridgePort, Entering, Bridged,
                               PointAnswer, Arrived, SwitchDone, Progress, Pace, CodeOptions,
                               Goodbye, StarterHello, StarterStarted, StarterEnded>;
using ToStarter = std::variant<StarterWelcome>;

// ---- agent -> broker
// -------------------------------------------------------------------------------------------

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
/// A launcher run has ended, and no process of its group is left on this host. `text`: what mpiexec
/// itself said.
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

using FromAgent = std::variant<AgentHello, Beat, FromRanks, RankEnded, RunEnded, StandInEnded,
                               Notice, AgentGoodbye>;

// ---- broker -> agent
// -------------------------------------------------------------------------------------------

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
    void visit(V& v);
};
/// Start one launcher run with `ranks` ranks; `welcome` is what its ranks get.
struct StartRun {
    static constexpr std::string_view name = "start_run";
    GroupId group;
    int ranks = 0;
    bool input = false;  ///< rank 0 of this group gets the job's standard input
    std::variant<RankWelcome> welcome;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("ranks", ranks, 1, limits::ranks), v.flag("input", input);
        v.message("welcome", welcome);
    }
};
/// End a group now: its ranks, its launcher run and whatever they started (SIGKILL). Answered by
/// RunEnded.
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

using ToAgent = std::variant<AgentWelcome, Beat, StartRun, KillRun, ToRanks, RunStandIn,
                             GroupsLeave, FinishAgent, EndJob, SignalRanks, Deputy>;

// ---- the second connection of an agent: standard streams
// --------------------------------------------------------

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
/// InputTaken: the agent has written so many bytes of input to the rank (credit for the broker).
using ToStream = std::variant<Input>;

// ---- ductile -> broker
// ------------------------------------------------------------------------------------------

enum class SizeUnit { ranks, hosts };

struct ResizeRequest {
    static constexpr std::string_view name = "resize";
    int size = 0;  ///< 0 with `release`: whatever remains
    SizeUnit unit = SizeUnit::ranks;
    std::vector<std::string> release;  ///< names of hosts to give back
    bool wait = false;
    bool dry_run = false;
    bool replace = false;  ///< take the place of a resize that is pending; otherwise wait for it
    double switch_within_s = 0;  ///< 0: no limit
    template <class V>
    void visit(V& v) {
        v.number("size", size, 0, limits::ranks), v.choice("unit", unit, {"ranks", "hosts"});
        v.texts("release", release, limits::groups, limits::name_bytes), v.flag("wait", wait);
        v.flag("dry_run", dry_run), v.flag("replace", replace),
            v.seconds("switch_within_s", switch_within_s);
    }
};
struct StatusRequest {
    static constexpr std::string_view name = "status";
    template <class V>
    void visit(V&) {}
};
struct CancelRequest {
    static constexpr std::string_view name = "cancel";
    template <class V>
    void visit(V&) {}
};
/// End the job.
struct EndRequest {
    static constexpr std::string_view name = "end";
    template <class V>
    void visit(V&) {}
};
using Request = std::variant<ResizeRequest, StatusRequest, CancelRequest, EndRequest>;

enum class ReplyKind { refused, accepted, done, rolled_back, failed };

/// One or, with `wait`, two of these follow a request.
struct Reply {
    static constexpr std::string_view name = "reply";
    ReplyKind kind = ReplyKind::refused;
    std::string text;  ///< for a person
    std::string data;  ///< for a program: JSON
    template <class V>
    void visit(V& v) {
        v.choice("kind", kind, {"refused", "accepted", "done", "rolled_back", "failed"});
        v.text("text", text, limits::frame_bytes), v.text("data", data, limits::frame_bytes);
    }
};
using Answer = std::variant<Reply>;

// ---- long visits
// -------------------------------------------------------------------------------------------------

template <class V>
void Ready::visit(V& v) {
    v.number("ranks", ranks, 1, limits::ranks), v.text("mpi", mpi, limits::text_bytes);
    std::vector<Rank> wide;
    for (const int round : rounds) wide.push_back(Rank{round});
    v.ids("rounds", wide, 64);
    rounds.clear();
    for (const auto& round : wide) rounds.push_back(round.value);
    v.texts("ports", ports, 64, limits::port_bytes);
}

template <class V>
void AgentWelcome::visit(V& v) {
    v.texts("environment", environment, limits::environment_entries, limits::environment_bytes);
    v.text("directory", directory, limits::text_bytes), v.number("umask", umask, 0, 0777);
    v.texts("resource_limits", resource_limits, 64, limits::name_bytes),
        v.texts("launcher", launcher, 64, limits::text_bytes);
    v.texts("program", program, limits::environment_entries, limits::environment_bytes);
    v.seconds("beat_s", beat_s), v.seconds("beat_limit_s", beat_limit_s);
    v.seconds("orphan_limit_s", orphan_limit_s), v.seconds("leave_within_s", leave_within_s);
}

inline std::vector<core::Group> to_groups(const std::vector<GroupFields>& fields) {
    return {fields.begin(), fields.end()};
}
inline std::vector<GroupFields> to_fields(const std::vector<core::Group>& groups) {
    std::vector<GroupFields> fields;
    for (const auto& group : groups) fields.push_back(GroupFields{group});
    return fields;
}

}  // namespace ductile::wire
