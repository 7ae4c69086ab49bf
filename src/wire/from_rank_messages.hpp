// The messages from a rank. Its agent forwards them unchanged to the broker (FromRanks), except
// MpiRuns, which is for the agent alone.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/named.hpp"
#include "plan/methods.hpp"
#include "wire/group_fields.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire {

/// The first message of a rank, when its Job is made. `rank` is its rank in its own MPI_COMM_WORLD.
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
/// From the leader of a group: MPI is initialised in all ranks of the group, and these ports are
/// open. There is a port for each round in which the group accepts.
struct Ready {
    static constexpr std::string_view name = "ready";
    int ranks = 0;
    std::string mpi;
    std::vector<int> rounds;
    std::vector<std::string> ports;
    template <class V>
    void visit(V& v) {
        v.number("ranks", ranks, 1, limits::ranks), v.text("mpi", mpi, limits::text_bytes);
        std::vector<Rank> wide;
        for (const int round : rounds) wide.push_back(Rank{round});
        v.ids("rounds", wide, 64);
        rounds.clear();
        for (const auto& round : wide) rounds.push_back(round.value);
        v.texts("ports", ports, 64, limits::port_bytes);
    }
};
struct RoundDone {
    static constexpr std::string_view name = "round_done";
    int round = 0;
    template <class V>
    void visit(V& v) {
        v.number("round", round, 0, 64);
    }
};
/// From the leader of the new groups: they are one communicator, in the order of equation (9) of
/// parallel-spawning-strategies.
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
/// From the newcomers' leader: its next call is MPI_Comm_connect.
struct ConnectStarting {
    static constexpr std::string_view name = "connect_starting";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// From a leader: the bridge works (the newcomers' hello was answered), or why it does not. After
/// an MPI_Comm_spawn, all ranks that made this call and the leader of the new group send Bridged.
struct Bridged {
    static constexpr std::string_view name = "bridged";
    TransactionId transaction;
    bool ok = false;
    std::string why;
    double accept_s = 0;    ///< how long accept or connect took
    bool degraded = false;  ///< this process must not accept again
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("ok", ok), v.text("why", why, limits::text_bytes);
        v.seconds("accept_s", accept_s), v.flag("degraded", degraded);
    }
};
/// From the leader of a group that was started by MPI_Comm_spawn: all ranks of the group wait for
/// the merge that makes the leaders' bridge.
struct ReadyToMerge {
    static constexpr std::string_view name = "ready_to_merge";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// A source's answer to a Join in the background: its helper thread has finished the join or given
/// it up. `degraded`: MPI is not reliable in this process any more.
struct SourceJoined {
    static constexpr std::string_view name = "source_joined";
    TransactionId transaction;
    bool ok = false;
    std::string why;
    bool degraded = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("ok", ok), v.text("why", why, limits::text_bytes);
        v.flag("degraded", degraded);
    }
};
/// Answer to SpawnGroup: MPI_Comm_spawn has returned.
struct Spawned {
    static constexpr std::string_view name = "spawned";
    TransactionId transaction;
    GroupId group;
    bool ok = false;
    std::string why;
    double spawn_s = 0;  ///< the duration of the call
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("group", group), v.flag("ok", ok);
        v.text("why", why, limits::text_bytes), v.seconds("spawn_s", spawn_s);
    }
};
/// From a source or a newcomer: the program begins or has ended the preparation of its place after
/// a resize. Until the preparation has ended, a source does not answer Prepare. If the preparation
/// throws, the rank sends SwitchFailed instead.
struct Preparing {
    static constexpr std::string_view name = "preparing";
    TransactionId transaction;
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on);
    }
};
/// Answer to Prepare: how many resize points the rank has entered. `finished`: it will enter no
/// more points.
struct PointAnswer {
    static constexpr std::string_view name = "point_answer";
    TransactionId transaction;
    int attempt = 0;  ///< the attempt of Prepare
    std::int64_t count = 0;
    bool finished = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX),
            v.number("count", count, 0, INT64_MAX), v.flag("finished", finished);
    }
};
/// From the job's rank 0: it has reached the announced point. The broker now lets the newcomers
/// enter the join.
struct Arrived {
    static constexpr std::string_view name = "arrived";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// From the job's rank 0, in a growth with tight memory: all sources have voted yes; the data move.
struct Committed {
    static constexpr std::string_view name = "committed";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// From each source, after the last vote of a switch, and after the program has rebuilt what
/// depends on the communicator. Times are those of this rank: `stall_s`, and its phases.
struct SwitchDone {
    static constexpr std::string_view name = "switch_done";
    TransactionId transaction;
    bool committed = false;
    bool degraded = false;
    bool unfinished = false;  ///< given up after the join had begun: the rank skips MPI_Finalize
    bool leader = false;
    std::string why;
    double stall_s = 0, vote_s = 0, join_s = 0, redistribute_s = 0, commit_s = 0, rebuild_s = 0;
    std::int64_t bytes_sent = 0, bytes_sent_ahead = 0, peak_bytes = 0;
    plan::Executor redistribution = plan::Executor::p2p;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("committed", committed),
            v.flag("degraded", degraded);
        v.flag("unfinished", unfinished), v.flag("leader", leader),
            v.text("why", why, limits::text_bytes), v.seconds("stall_s", stall_s);
        v.seconds("vote_s", vote_s), v.seconds("join_s", join_s),
            v.seconds("redistribute_s", redistribute_s);
        v.seconds("commit_s", commit_s), v.seconds("rebuild_s", rebuild_s);
        v.number("bytes_sent", bytes_sent, 0, INT64_MAX);
        v.number("bytes_sent_ahead", bytes_sent_ahead, 0, INT64_MAX);
        v.number("peak_bytes", peak_bytes, 0, INT64_MAX);
        v.choice("redistribution", redistribution, core::words_of(plan::all_executors));
    }
};
/// From a rank that switches, prepares, or joins in the background: it has made progress since its
/// last such message. A rank sends at most about two of them per second. When a switch joins
/// newcomers, rank 0 sends one as soon as all sources have voted yes.
struct Progress {
    static constexpr std::string_view name = "progress";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// From a source, a newcomer, or a parked rank that comes back: the program begins or has ended
/// moving its own data (Schema::on_redistribute).
struct ProgramMoves {
    static constexpr std::string_view name = "program_moves";
    TransactionId transaction;
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on);
    }
};
/// From a source, a newcomer, or a parked rank that comes back: a function of the program
/// (Schema::on_prepare, Schema::on_redistribute) has thrown in a resize. The broker calls the
/// resize off, so that no rank waits for this one. If that is not possible any more, it ends the
/// job.
struct SwitchFailed {
    static constexpr std::string_view name = "switch_failed";
    TransactionId transaction;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("why", why, limits::text_bytes);
    }
};
/// From the job's rank 0, about twice a second: how many resize points it has entered.
struct Pace {
    static constexpr std::string_view name = "pace";
    std::int64_t count = 0;
    double time_s = 0;  ///< seconds on this host's monotonic clock
    template <class V>
    void visit(V& v) {
        v.number("count", count, 0, INT64_MAX), v.seconds("time_s", time_s);
    }
};
/// From a rank whose MPI calls are measured, at most once a second: the length of a window of time
/// since the last resize, and how long the program's thread was outside MPI in this window.
struct UsefulTime {
    static constexpr std::string_view name = "useful_time";
    double elapsed_s = 0, useful_s = 0;
    template <class V>
    void visit(V& v) {
        v.seconds("elapsed_s", elapsed_s), v.seconds("useful_s", useful_s);
    }
};
/// From the job's rank 0, when its Job is made or the program changes the options: limits set in
/// code (0: none). A user can only narrow `min` and `max`. The user's other limits replace those of
/// the code.
struct CodeOptions {
    static constexpr std::string_view name = "code_options";
    int min = 0, max = 0, preferred = 0, multiple = 0;
    double inhibitor_s = 0;
    std::int64_t inhibitor_points = 0;
    bool one_world = false;
    bool operator==(const CodeOptions&) const = default;
    template <class V>
    void visit(V& v) {
        v.number("min", min, 0, limits::ranks), v.number("max", max, 0, limits::ranks);
        v.number("preferred", preferred, 0, limits::ranks),
            v.number("multiple", multiple, 0, limits::ranks);
        v.seconds("inhibitor_s", inhibitor_s),
            v.number("inhibitor_points", inhibitor_points, 0, INT64_MAX);
        v.flag("one_world", one_world);
    }
};
/// The program asks for a resize of its own job. ResizeAnswered is the answer.
struct ResizeAsked {
    static constexpr std::string_view name = "resize_asked";
    int number = 0;  ///< counts the requests of this rank
    ResizeRequest request;
    template <class V>
    void visit(V& v) {
        v.number("number", number, 0, INT32_MAX), v.object("request", request);
    }
};
/// From a rank that has left: members wait for data that this rank gives them, or no longer wait.
struct GivesData {
    static constexpr std::string_view name = "gives_data";
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.flag("on", on);
    }
};
/// The rank's Job is destroyed, or the rank has left the job. From now on it is no failure if the
/// rank ends with code 0.
struct Goodbye {
    static constexpr std::string_view name = "goodbye";
    template <class V>
    void visit(V&) {}
};

/// Answer to BrokerBack.
struct RankReport {
    static constexpr std::string_view name = "rank_report";
    TransactionId transaction{0};  ///< the last resize that this rank committed or joined by
    bool degraded = false;
    bool accepting = false;  ///< the rank is in the accept that AcceptBridge ordered
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("degraded", degraded),
            v.flag("accepting", accepting);
    }
};

/// Answer to BrokerBack (before RankReport) or to CallToVote: the rank has voted before its point,
/// and waits for the votes of the other ranks.
struct VotesEarly {
    static constexpr std::string_view name = "votes_early";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};

/// MPI is initialised in this process. Sent only to the agent, which records the files that the
/// process would leave behind if it were killed.
struct MpiRuns {
    static constexpr std::string_view name = "mpi_runs";
    template <class V>
    void visit(V&) {}
};

/// A newcomer is a member from now on. The message is for the agent, which may have lost the
/// broker.
struct JoinedJob {
    static constexpr std::string_view name = "joined_job";
    template <class V>
    void visit(V&) {}
};

/// The rank is parked, or no longer parked. The message is for the agent, which lets the parked
/// ranks of its host end when no active rank is left there.
struct Parked {
    static constexpr std::string_view name = "parked";
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.flag("on", on);
    }
};

using FromRank = std::variant<RankHello, Ready, RoundDone, Formed, BridgePort, ConnectStarting,
                              Bridged, ReadyToMerge, SourceJoined, Spawned, Preparing, PointAnswer,
                              Arrived, Committed, SwitchDone, Progress, ProgramMoves, SwitchFailed,
                              Pace, UsefulTime, CodeOptions, ResizeAsked, GivesData, Goodbye,
                              RankReport, VotesEarly, MpiRuns, JoinedJob, Parked>;

}  // namespace ductile::wire
