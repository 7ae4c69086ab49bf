// The messages from agents to the broker.
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
    std::string host_name;               ///< by gethostname; only for messages to people
    std::string machine;                 ///< rms::machine() on its host
    std::vector<std::string> addresses;  ///< of this agent, for other agents (Coordinator)
    int port = 0;
    template <class V>
    void visit(V& v) {
        v.text("job", job, limits::name_bytes), v.id("host", host), v.id("generation", generation);
        v.number("pid", pid, 1, INT32_MAX), v.text("host_name", host_name, limits::name_bytes);
        v.text("machine", machine, limits::name_bytes);
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
/// A rank's process has ended. `hello`: the rank had made a Job. `goodbye`: its Job had ended, or
/// the rank had left the job.
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
/// The run of a group on this host is over: no process of the group is left here. If a launcher
/// starts the ranks, the launcher has ended, too (on a further host of the group: the proxy).
/// `text`: the launcher's own message, or why the group did not start.
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
/// Answer to StartRun, if a rank starts the group: this host is reachable, and the program exists.
struct Expecting {
    static constexpr std::string_view name = "expecting";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
/// The mpiexec of a group wants a proxy on another host. The proxy is for this group, if the group
/// spans hosts, or for a group that a rank of this group starts.
struct ProxyWanted {
    static constexpr std::string_view name = "proxy_wanted";
    GroupId group;   ///< the group of mpiexec
    GroupId starts;  ///< the group of the ranks that the proxy starts
    int part = 0;    ///< the position of the host among the hosts of `starts`
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
/// If AgentWelcome::meters_power: the power that this host has drawn since the last HostPower, on
/// average.
struct HostPower {
    static constexpr std::string_view name = "host_power";
    double watts = 0;
    std::string why_not;  ///< why the power cannot be measured; empty: it is
    template <class V>
    void visit(V& v) {
        v.real("watts", watts, 0, limits::watts), v.text("why_not", why_not, limits::text_bytes);
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
/// All runs have ended, all output is sent, and no process of the job is left here. The agent ends.
struct AgentGoodbye {
    static constexpr std::string_view name = "agent_goodbye";
    template <class V>
    void visit(V&) {}
};

/// What an agent knows of a rank.
struct RankInventory {
    bool hello = false, goodbye = false, ended = false;
    bool dismissed = false;  ///< the rank was told to leave, or to end
    int code = 0;
    int signal = 0;
    std::string why;
    int local_rank = 0;  ///< see StartRun::local_ranks
    template <class V>
    void visit(V& v) {
        v.flag("hello", hello), v.flag("goodbye", goodbye), v.flag("ended", ended);
        v.flag("dismissed", dismissed), v.number("local_rank", local_rank, 0, limits::ranks);
        v.number("code", code, 0, 255), v.number("signal", signal, 0, 128);
        v.text("why", why, limits::text_bytes);
    }
};
/// A group, or its part on this host.
struct GroupInventory {
    GroupId group;
    int first_rank = 0;
    std::vector<Rank> numbers =
        {};  ///< of these ranks; empty: they follow each other from first_rank
    std::vector<RankInventory> ranks;
    bool member = false;  ///< its ranks are members of the job, not newcomers
    bool ended = false;   ///< no process of it is left here
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("first_rank", first_rank, 0, limits::ranks);
        v.ids("numbers", numbers, limits::ranks);
        v.list("ranks", ranks, limits::ranks), v.flag("member", member);
        v.flag("ended", ended);
    }
    /// The rank in the group of ranks[place].
    [[nodiscard]] Rank rank_at(std::size_t place) const {
        return place < numbers.size() ? numbers[place] : Rank{first_rank + static_cast<int>(place)};
    }
};
/// Answer to QueryInventory: all groups that this agent ever started.
struct Inventory {
    static constexpr std::string_view name = "inventory";
    std::vector<GroupInventory> groups;
    TransactionId committed{0};  ///< the last resize that this host knows as committed; 0: none
    template <class V>
    void visit(V& v) {
        v.list("groups", groups, limits::groups), v.id("committed", committed);
    }
};

using FromAgent =
    std::variant<AgentHello, Heartbeat, FromRanks, RankEnded, RunEnded, Expecting, ProxyWanted,
                 BarrierReached, LeftBarriers, GateReached, GateLost, NameAsked, SpawnAsked,
                 AbortConnectorEnded, Inventory, HostPower, Notice, AgentGoodbye>;

}  // namespace ductile::wire
