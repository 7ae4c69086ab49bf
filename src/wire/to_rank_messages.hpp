// What the broker says to ranks; their agents pass it on as it is (ToRanks).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "plan/executor_choice.hpp"
#include "wire/group_fields.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire {

enum class Role { initial, newcomer };
using plan::Executor;
using plan::Readiness;
using plan::SpawnBridge;

/// Answer to a rank's hello, given by its agent from StartRun.
struct RankWelcome {
    static constexpr std::string_view name = "rank_welcome";
    std::string job;
    Role role = Role::initial;
    TransactionId transaction{0};
    std::string secret;  ///< of this transaction; part of the hello of each connection (hex)
    int base_ranks = 0;  ///< ranks of the job before these groups (0 at the start of the job)
    std::vector<GroupFields>
        added;  ///< all groups that are started together with this one, by rising id
    SpawnBridge bridge = SpawnBridge::no;
    Readiness readiness = Readiness::broker;
    LayoutFields after;          ///< the job when they have joined it
    std::vector<Rank> starters;  ///< ranks of this group that start others, where by the tree
    double progress_s = 5;       ///< a switch without progress for so long is given up
    bool verify = false;         ///< what moves is summed up before and after
    double vote_s =
        10;  ///< then, if the vote does not return for so long, the broker is asked to end the job
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes), v.choice("role", role, {"initial", "newcomer"});
        v.id("transaction", transaction), v.text("secret", secret, limits::name_bytes);
        v.number("base_ranks", base_ranks, 0, limits::ranks),
            v.list("added", added, limits::groups);
        v.choice("bridge", bridge, {"no", "by_root", "by_all"});
        v.choice("readiness", readiness, {"broker", "tree"}),
            v.ids("starters", starters, limits::ranks);
        v.seconds("progress_s", progress_s), v.seconds("vote_s", vote_s);
        v.flag("verify", verify), v.object("after", after);
    }
};
/// Every rank of two sets of new groups: meet now. All ranks of a set call accept or connect
/// together.
struct ConnectRound {
    static constexpr std::string_view name = "connect_round";
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
    LayoutFields layout;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("point", point, 0, INT64_MAX);
        v.object("layout", layout);
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
/// The newcomers' leader: say ConnectStarting, then connect to this port.
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
/// A process, or (`by_all`) every source: start this group by MPI_Comm_spawn. Answered by Spawned.
struct SpawnGroup {
    static constexpr std::string_view name = "spawn_group";
    TransactionId transaction;
    GroupId group;
    int ranks = 0;
    std::string hosts;      ///< "NAME:RANKS,NAME:RANKS"
    bool by_entry = false;  ///< each of them is an entry of the start (mpi::SpawnHosts)
    SpawnBridge bridge = SpawnBridge::no;
    std::string secret;  ///< by which the new ranks' hello is known, if there is a bridge
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("group", group);
        v.number("ranks", ranks, 1, limits::ranks), v.text("hosts", hosts, limits::data_bytes);
        v.flag("by_entry", by_entry), v.text("secret", secret, limits::name_bytes);
        v.choice("bridge", bridge, {"no", "by_root", "by_all"});
    }
};
/// Who starts groups, after its last SpawnGroup, where readiness goes by the tree: these were all.
/// `peers`: the sources that start groups, by their ranks in the job, rising.
struct SharePorts {
    static constexpr std::string_view name = "share_ports";
    TransactionId transaction;
    std::vector<Rank> peers;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.ids("peers", peers, limits::ranks);
    }
};
/// Sources: a resize is (or is no longer) under way; resize_point() says `pending` meanwhile.
struct ResizePending {
    static constexpr std::string_view name = "resize_pending";
    TransactionId transaction;
    bool on = false;
    LayoutFields after;  ///< what it is to make of the job
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on), v.object("after", after);
    }
};
/// Every source: arm, and answer how many points you have entered; or, where the program has to
/// prepare for its place in `after` first, say so (Preparing), and the question is asked again.
struct Prepare {
    static constexpr std::string_view name = "prepare";
    TransactionId transaction;
    int attempt = 0;  ///< a question that was called off is asked again under a new number
    LayoutFields after = {};
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX);
        v.object("after", after);
    }
};
/// Every source: the point at which all stop (final), and what the job is afterwards; point 0
/// cancels.
struct MoveCostFields : plan::MoveCost {
    MoveCostFields() = default;
    MoveCostFields(const plan::MoveCost& cost) : plan::MoveCost(cost) {}  // NOLINT
    template <class V>
    void visit(V& v) {
        v.choice("executor", executor, {"p2p", "alltoallv", "rma-lock", "rma-lockall"});
        v.seconds("constant", constant), v.seconds("per_rank", per_rank);
        v.seconds("per_mebibyte", per_mebibyte);
    }
};
struct Decision {
    static constexpr std::string_view name = "decision";
    TransactionId transaction;
    std::int64_t point = 0;
    std::vector<GroupFields> added;
    LayoutFields after;
    bool blocking = false;  ///< the new groups start only now: wait at the point for Proceed
    bool joined = false;    ///< the new ranks are joined already (Join::background)
    Executor redistribution = Executor::p2p;
    std::vector<MoveCostFields> move_costs;  ///< by which all ranks choose it where it is `auto`
    plan::Memory memory = plan::Memory::keep;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("point", point, 0, INT64_MAX);
        v.flag("blocking", blocking), v.list("added", added, limits::groups);
        v.flag("joined", joined), v.object("after", after);
        v.choice("redistribution", redistribution,
                 {"p2p", "alltoallv", "rma-lock", "rma-lockall", "auto"});
        v.list("move_costs", move_costs, plan::all_executors.size());
        v.choice("memory", memory, {"keep", "tight"});
    }
};
/// Parked ranks: the job's rank 0 will say whether you come back.
struct ComeBack {
    static constexpr std::string_view name = "come_back";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Sources that wait at the point: the newcomers are there. Newcomers that were joined in the
/// background: the sources are at the point.
struct Proceed {
    static constexpr std::string_view name = "proceed";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// Newcomers: the sources are at the point; enter the join. `leader`: the group whose first rank
/// holds the bridge; `everybody`: sources, then newcomers, in the order of their ranks in the
/// joined communicator. `background`: the sources hear this, too, and join while the program
/// computes; newcomers wait for Proceed then. Sources answer by SourceJoined.
struct Join {
    static constexpr std::string_view name = "join";
    TransactionId transaction;
    GroupId leader;
    std::vector<RangeFields> everybody;
    bool background = false;
    LayoutFields after;                       ///< where it is in the background, and so is the next
    Executor redistribution = Executor::p2p;  ///< of frozen arrays; not `automatic`
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("leader", leader);
        v.flag("background", background), v.list("everybody", everybody, limits::ranges);
        v.object("after", after);
        v.choice("redistribution", redistribution, {"p2p", "alltoallv", "rma-lock", "rma-lockall"});
    }
};
/// Sources: the newcomers of this transaction are lost; vote no, and leave the join.
struct Abandon {
    static constexpr std::string_view name = "abandon";
    TransactionId transaction;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("why", why, limits::text_bytes);
    }
};
/// Leavers: all others have gone on, so your end costs them nothing. Parked ranks: leave; no rank
/// of the job is left on your host, or you are to be given back.
struct ExitPermitted {
    static constexpr std::string_view name = "exit_permitted";
    template <class V>
    void visit(V&) {}
};
/// Members and parked ranks: not all will finalise MPI, so you are not to wait for them there.
struct SkipFinalize {
    static constexpr std::string_view name = "skip_finalize";
    template <class V>
    void visit(V&) {}
};
/// From the agent: the descriptor that comes along is standard input from now on.
struct TakeInput {
    static constexpr std::string_view name = "take_input";
    template <class V>
    void visit(V&) {}
};
/// From the agent itself: no broker answers any more (until a resumed one does).
struct BrokerLost {
    static constexpr std::string_view name = "broker_lost";
    template <class V>
    void visit(V&) {}
};

/// From the agent, after BrokerLost: a resumed broker is there. Answered by RankReport as soon
/// as no question is open that the lost one had asked, and by VotesEarly where one is.
struct BrokerBack {
    static constexpr std::string_view name = "broker_back";
    template <class V>
    void visit(V&) {}
};

/// From the resumed broker: another rank votes early in this transaction. A rank that has not voted
/// in it votes early, too.
struct CallToVote {
    static constexpr std::string_view name = "call_to_vote";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};

/// What has become of a resize that the rank asked for: not `accepted`, which is no end.
struct ResizeAnswered {
    static constexpr std::string_view name = "resize_answered";
    int number = 0;  ///< as of ResizeAsked
    ReplyKind kind = ReplyKind::refused;
    std::string text;  ///< for a person
    template <class V>
    void visit(V& v) {
        v.number("number", number, 0, INT32_MAX);
        visit_kind(v, kind), v.text("text", text, limits::text_bytes);
    }
};

using ToRank = std::variant<RankWelcome, ConnectRound, Commit, OpenBridge, ConnectBridge,
                            AcceptBridge, SpawnGroup, SharePorts, ResizePending, Prepare, Decision,
                            ComeBack, Proceed, Join, Abandon, ExitPermitted, SkipFinalize,
                            TakeInput, BrokerLost, BrokerBack, CallToVote, ResizeAnswered>;

}  // namespace ductile::wire
