// What a rank says to the broker; its agent passes it on as it is (FromRanks).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "plan/methods.hpp"
#include "wire/group_fields.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire {

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
struct ConnectStarting {
    static constexpr std::string_view name = "connect_starting";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// A leader: the bridge stands (hello exchanged), or why it does not. Over a spawn's
/// intercommunicator: every process that had a part in it.
struct Bridged {
    static constexpr std::string_view name = "bridged";
    TransactionId transaction;
    bool ok = false;
    std::string why;
    double accept_s = 0;    ///< how long accept or connect took
    bool degraded = false;  ///< this process is not to accept again
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("ok", ok), v.text("why", why, limits::text_bytes);
        v.seconds("accept_s", accept_s), v.flag("degraded", degraded);
    }
};
/// A source's answer to Join: its helper is out of the join in the background, or MPI is not to be
/// relied on there (`degraded`).
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
    double spawn_s = 0;  ///< how long it took
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("group", group), v.flag("ok", ok);
        v.text("why", why, limits::text_bytes), v.seconds("spawn_s", spawn_s);
    }
};
/// A source: the program prepares for its place after a resize, or has ended that. Before it has,
/// the rank answers no Prepare. What the program throws there is a SwitchFailed instead.
struct Preparing {
    static constexpr std::string_view name = "preparing";
    TransactionId transaction;
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on);
    }
};
/// Answer to Prepare: resize points entered so far, or that the rank will enter no more.
struct PointAnswer {
    static constexpr std::string_view name = "point_answer";
    TransactionId transaction;
    int attempt = 0;  ///< of Prepare
    std::int64_t count = 0;
    bool finished = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX),
            v.number("count", count, 0, INT64_MAX), v.flag("finished", finished);
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
/// The job's rank 0, where the data move after the commit: all sources have voted for the resize.
struct Committed {
    static constexpr std::string_view name = "committed";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Each source, after the last vote of a switch, and after the program has rebuilt what depends on
/// the communicator. Times are those of this rank; phases are filled by
/// rank 0.
struct SwitchDone {
    static constexpr std::string_view name = "switch_done";
    TransactionId transaction;
    bool committed = false;
    bool degraded = false;
    bool unfinished = false;  ///< given up after the join had begun: it will not finalise MPI
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
        v.choice("redistribution", redistribution, {"p2p", "alltoallv", "rma-lock", "rma-lockall"});
    }
};
/// A rank whose switch is under way, or a newcomer that prepares for it: something was done since
/// the last such message (at most one a second); the first one, from the job's rank 0, says that
/// all sources have voted yes.
struct Progress {
    static constexpr std::string_view name = "progress";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// A source, a newcomer, a parked rank that comes back: the program moves its own data
/// (Schema::on_redistribute), or has ended that.
struct ProgramMoves {
    static constexpr std::string_view name = "program_moves";
    TransactionId transaction;
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on);
    }
};
/// A source or a newcomer: what the program does for a resize has failed on this rank. Those that
/// wait for it are not to wait any longer.
struct SwitchFailed {
    static constexpr std::string_view name = "switch_failed";
    TransactionId transaction;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("why", why, limits::text_bytes);
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
/// The job's rank 0, when its Job is made or the program changes them: limits set in code, hard
/// bounds that a user may only narrow (0: none).
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
/// The program asks for a resize of its own job. Answered by ResizeAnswered.
struct ResizeAsked {
    static constexpr std::string_view name = "resize_asked";
    int number = 0;  ///< the rank's own count
    ResizeRequest request;
    template <class V>
    void visit(V& v) {
        v.number("number", number, 0, INT32_MAX), v.object("request", request);
    }
};
/// A rank that has left: members wait for data that it gives them itself, or do no more.
struct GivesData {
    static constexpr std::string_view name = "gives_data";
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.flag("on", on);
    }
};
/// The rank's Job is destroyed, or the rank has left: its end with code 0 is no failure from now
/// on.
struct Goodbye {
    static constexpr std::string_view name = "goodbye";
    template <class V>
    void visit(V&) {}
};

/// Answer to BrokerBack.
struct RankReport {
    static constexpr std::string_view name = "rank_report";
    TransactionId transaction{0};  ///< the last one that was committed here, or made it a member
    bool degraded = false;
    bool accepting = false;  ///< it is in the accept that AcceptBridge has ordered
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("degraded", degraded),
            v.flag("accepting", accepting);
    }
};

/// Answer to BrokerBack, before RankReport: an early vote is cast and waits for the other ranks'.
struct VotesEarly {
    static constexpr std::string_view name = "votes_early";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};

/// MPI runs in this process. For its agent alone, which looks what the process would leave behind.
struct MpiRuns {
    static constexpr std::string_view name = "mpi_runs";
    template <class V>
    void visit(V&) {}
};

/// A newcomer is a member from now on. For its agent, which may have lost the broker.
struct JoinedJob {
    static constexpr std::string_view name = "joined_job";
    template <class V>
    void visit(V&) {}
};

/// It is parked, or no more. For its agent, which wakes it when no other rank of its host is left.
struct Parked {
    static constexpr std::string_view name = "parked";
    bool on = false;
    template <class V>
    void visit(V& v) {
        v.flag("on", on);
    }
};

using FromRank =
    std::variant<RankHello, Ready, RoundDone, Formed, BridgePort, ConnectStarting, Bridged,
                 SourceJoined, Spawned, Preparing, PointAnswer, Arrived, Committed, SwitchDone,
                 Progress, ProgramMoves, SwitchFailed, Pace, CodeOptions, ResizeAsked, GivesData,
                 Goodbye, RankReport, VotesEarly, MpiRuns, JoinedJob, Parked>;

}  // namespace ductile::wire
