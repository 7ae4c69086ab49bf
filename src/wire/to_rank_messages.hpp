// The messages from the broker to ranks. Their agents forward them unchanged (ToRanks).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/named.hpp"
#include "plan/executor_choice.hpp"
#include "wire/group_fields.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire {

/// outsider: the process takes no part in the job, although it runs in one of its ranks.
enum class Role { initial, newcomer, outsider };
using plan::Executor;
using plan::Readiness;
using plan::SpawnBridge;

/// Answer to a rank's hello. The agent has it from StartRun.
struct RankWelcome {
    static constexpr std::string_view name = "rank_welcome";
    std::string job;
    Role role = Role::initial;
    TransactionId transaction{0};
    std::string secret;              ///< of this transaction; in the hello of each connection (hex)
    int base_ranks = 0;              ///< the job's ranks before these groups; 0 at its start
    std::vector<GroupFields> added;  ///< all groups that start together with this one, by rising id
    SpawnBridge bridge = SpawnBridge::no;
    Readiness readiness = Readiness::broker;
    LayoutFields after;          ///< the job after the groups have joined it
    std::vector<Rank> starters;  ///< with Readiness::tree: ranks of this group that start groups
    double progress_s = 5;       ///< a switch without progress for this time is given up
    bool verify = false;         ///< compare checksums of moved data before and after
    double vote_s = 10;  ///< if the vote does not return within this further time, the rank asks
                         ///< the broker to end the job
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes),
            v.choice("role", role, {"initial", "newcomer", "outsider"});
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
/// To all ranks of two sets of new groups: connect now. All ranks of a set call accept or connect
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
/// To new ranks: they are members now. The job has this layout, and its count of resize points is
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
/// To the job's rank 0: open a port for this transaction and report its name.
struct OpenBridge {
    static constexpr std::string_view name = "open_bridge";
    TransactionId transaction;
    std::string secret;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("secret", secret, limits::name_bytes);
    }
};
/// To the newcomers' leader: send ConnectStarting, then connect to this port.
struct ConnectBridge {
    static constexpr std::string_view name = "connect_bridge";
    TransactionId transaction;
    std::string port;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("port", port, limits::port_bytes);
    }
};
/// To the job's rank 0: the other side is in connect, so accept now.
struct AcceptBridge {
    static constexpr std::string_view name = "accept_bridge";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// To a process, or (`by_all`) to every source: start this group by MPI_Comm_spawn. Spawned is the
/// answer.
struct SpawnGroup {
    static constexpr std::string_view name = "spawn_group";
    TransactionId transaction;
    GroupId group;
    int ranks = 0;
    std::string hosts;      ///< "NAME:RANKS,NAME:RANKS"
    bool by_entry = false;  ///< each host is an entry of the start (mpi::SpawnHosts)
    SpawnBridge bridge = SpawnBridge::no;
    std::string secret;  ///< the new ranks send it in their hello, if there is a bridge
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("group", group);
        v.number("ranks", ranks, 1, limits::ranks), v.text("hosts", hosts, limits::data_bytes);
        v.flag("by_entry", by_entry), v.text("secret", secret, limits::name_bytes);
        v.choice("bridge", bridge, {"no", "by_root", "by_all"});
    }
};
/// To every process that has started the new group, if this start makes the leaders' bridge: all
/// ranks of the group wait for the merge, so merge now. Bridged is the answer.
struct MergeGroup {
    static constexpr std::string_view name = "merge_group";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// To a process that starts groups, with plan::Readiness::tree: it gets no more SpawnGroup.
/// `peers`: the sources that start groups, by their ranks in the job, in ascending order.
struct SharePorts {
    static constexpr std::string_view name = "share_ports";
    TransactionId transaction;
    std::vector<Rank> peers;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.ids("peers", peers, limits::ranks);
    }
};
/// To sources: a resize is under way, or no longer. While a resize is under way, resize_point()
/// returns `pending`.
struct ResizePending {
    static constexpr std::string_view name = "resize_pending";
    TransactionId transaction;
    bool on = false;
    LayoutFields after;  ///< the job after the resize
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.flag("on", on), v.object("after", after);
    }
};
/// To every source: set the armed bit, and answer how many points the rank has entered. If the
/// program must first prepare for its place in `after`, the rank sends Preparing instead, and the
/// broker asks again.
struct Prepare {
    static constexpr std::string_view name = "prepare";
    TransactionId transaction;
    int attempt = 0;  ///< a cancelled Prepare is repeated with a new number
    LayoutFields after = {};
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("attempt", attempt, 0, INT32_MAX);
        v.object("after", after);
    }
};
/// The cost of moving data with one executor.
struct MoveCostFields : plan::MoveCost {
    MoveCostFields() = default;
    MoveCostFields(const plan::MoveCost& cost) : plan::MoveCost(cost) {}  // NOLINT
    template <class V>
    void visit(V& v) {
        v.choice("executor", executor, core::words_of(plan::all_executors));
        v.seconds("constant", constant), v.seconds("per_rank", per_rank);
        v.seconds("per_mebibyte", per_mebibyte);
    }
};
/// To every source: the point at which all sources stop (final), and the job after the resize.
/// Point 0 cancels.
struct Decision {
    static constexpr std::string_view name = "decision";
    TransactionId transaction;
    std::int64_t point = 0;
    std::vector<GroupFields> added;
    LayoutFields after;
    bool blocking = false;  ///< the new groups start only now: wait at the point for Proceed
    bool joined = false;    ///< the new ranks have joined already (Join::background)
    Executor redistribution = Executor::p2p;
    std::vector<MoveCostFields> move_costs;  ///< with `auto`: all ranks choose by these costs
    plan::Memory memory = plan::Memory::keep;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.number("point", point, 0, INT64_MAX);
        v.flag("blocking", blocking), v.list("added", added, limits::groups);
        v.flag("joined", joined), v.object("after", after);
        v.choice("redistribution", redistribution, core::words_of(plan::executor_choices));
        v.list("move_costs", move_costs, plan::all_executors.size());
        v.choice("memory", memory, {"keep", "tight"});
    }
};
/// To parked ranks: the job's rank 0 will say whether they come back.
struct ComeBack {
    static constexpr std::string_view name = "come_back";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// To sources that wait at the point: the newcomers are ready. To newcomers that joined in the
/// background: the sources are at the point.
struct Proceed {
    static constexpr std::string_view name = "proceed";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
/// To newcomers: the sources are at the point, so enter the join. `leader`: the group whose first
/// rank holds the bridge. `everybody`: sources, then newcomers, in the order of their ranks in the
/// joined communicator. `background`: the sources get this message, too, and join while the program
/// computes. Then newcomers wait for Proceed, and sources answer by SourceJoined.
struct Join {
    static constexpr std::string_view name = "join";
    TransactionId transaction;
    GroupId leader;
    std::vector<RangeFields> everybody;
    bool background = false;
    LayoutFields after;  ///< only for a join in the background, like the next field
    Executor redistribution = Executor::p2p;  ///< for frozen arrays; not `automatic`
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.id("leader", leader);
        v.flag("background", background), v.list("everybody", everybody, limits::ranges);
        v.object("after", after);
        v.choice("redistribution", redistribution, core::words_of(plan::all_executors));
    }
};
/// To sources: this resize is given up, for example because a newcomer is lost. Vote no, and leave
/// the join.
struct Abandon {
    static constexpr std::string_view name = "abandon";
    TransactionId transaction;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction), v.text("why", why, limits::text_bytes);
    }
};
/// To leavers: all other ranks continue without the leaver, so it may end. To parked ranks: leave,
/// because no active rank is left on the host, or because the broker gives the ranks back.
struct ExitPermitted {
    static constexpr std::string_view name = "exit_permitted";
    template <class V>
    void visit(V&) {}
};
/// To members and parked ranks: some ranks will not call MPI_Finalize, so do not wait for them
/// there.
struct SkipFinalize {
    static constexpr std::string_view name = "skip_finalize";
    template <class V>
    void visit(V&) {}
};
/// From the agent: the descriptor in this message is standard input from now on.
struct TakeInput {
    static constexpr std::string_view name = "take_input";
    template <class V>
    void visit(V&) {}
};
/// From the agent itself: the broker is lost. BrokerBack follows if a broker takes the job over.
struct BrokerLost {
    static constexpr std::string_view name = "broker_lost";
    template <class V>
    void visit(V&) {}
};

/// From the agent, after BrokerLost: a resumed broker is connected. The rank answers by RankReport
/// as soon as it is in no part of a resize: it has no open Prepare, vote, switch or background
/// join. If it votes early now, it first answers by VotesEarly.
struct BrokerBack {
    static constexpr std::string_view name = "broker_back";
    template <class V>
    void visit(V&) {}
};

/// From the resumed broker: another rank votes early in this transaction. A rank that has not voted
/// in this transaction also votes early.
struct CallToVote {
    static constexpr std::string_view name = "call_to_vote";
    TransactionId transaction;
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};

/// The outcome of a resize that the rank asked for. Never `accepted`, because that is not an
/// outcome.
struct ResizeAnswered {
    static constexpr std::string_view name = "resize_answered";
    int number = 0;  ///< the number in ResizeAsked
    ReplyKind kind = ReplyKind::refused;
    std::string text;  ///< for a person
    template <class V>
    void visit(V& v) {
        v.number("number", number, 0, INT32_MAX);
        visit_kind(v, kind), v.text("text", text, limits::text_bytes);
    }
};

using ToRank =
    std::variant<RankWelcome, ConnectRound, Commit, OpenBridge, ConnectBridge, AcceptBridge,
                 SpawnGroup, MergeGroup, SharePorts, ResizePending, Prepare, Decision, ComeBack,
                 Proceed, Join, Abandon, ExitPermitted, SkipFinalize, TakeInput, BrokerLost,
                 BrokerBack, CallToVote, ResizeAnswered>;

}  // namespace ductile::wire
