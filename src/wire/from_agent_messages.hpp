// What agents tell the broker.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/from_rank_messages.hpp"
#include "wire/group_fields.hpp"
#include "wire/pmi_messages.hpp"

namespace ductile::wire {

struct AgentHello {
    static constexpr std::string_view name = "agent_hello";
    std::string job;
    HostIndex host;
    Generation generation;
    int pid = 0;
    std::string host_name;               ///< gethostname there, for messages only
    std::vector<std::string> addresses;  ///< where other agents reach it when it is the coordinator
    int port = 0;
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes), v.id("host", host), v.id("generation", generation);
        v.number("pid", pid, 1, INT32_MAX), v.text("host_name", host_name, limits::name_bytes);
        v.texts("addresses", addresses, 16, limits::name_bytes), v.number("port", port, 0, 65535);
    }
};
struct Heartbeat {
    static constexpr std::string_view name = "heartbeat";
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
struct AbortConnectorEnded {
    static constexpr std::string_view name = "abort_connector_ended";
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
struct RankInventory {
    bool hello = false, goodbye = false, ended = false;
    bool dismissed = false;  ///< it has been told to leave, or to end
    int code = 0;
    int signal = 0;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.flag("hello", hello), v.flag("goodbye", goodbye), v.flag("ended", ended);
        v.flag("dismissed", dismissed);
        v.number("code", code, 0, 255), v.number("signal", signal, 0, 128);
        v.text("why", why, limits::text_bytes);
    }
};
/// A group, or its part on this host.
struct GroupInventory {
    GroupId group;
    int first_rank = 0;
    std::vector<RankInventory> ranks;
    bool member = false;  ///< not newcomers, or no more
    bool ended = false;   ///< nothing of it is left here
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("first_rank", first_rank, 0, limits::ranks);
        v.list("ranks", ranks, limits::ranks), v.flag("member", member);
        v.flag("ended", ended);
    }
};
/// Answer to QueryInventory: all groups that were ever started by this agent.
struct Inventory {
    static constexpr std::string_view name = "inventory";
    std::vector<GroupInventory> groups;
    TransactionId committed{0};  ///< the last resize that was committed here; 0: none
    template <class V>
    void visit(V& v) {
        v.list("groups", groups, limits::groups), v.id("committed", committed);
    }
};

using FromAgent =
    std::variant<AgentHello, Heartbeat, FromRanks, RankEnded, RunEnded, Expecting, ProxyWanted,
                 BarrierReached, LeftBarriers, GateReached, GateLost, NameAsked, SpawnAsked,
                 AbortConnectorEnded, Inventory, Notice, AgentGoodbye>;

}  // namespace ductile::wire
