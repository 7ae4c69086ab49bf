// The messages between agents and the broker for ranks that an agent has started: barriers and
// their keys, the gate of a spawned world, names, MPI_Comm_spawn (src/pmi/).
#pragma once

#include <string>
#include <vector>

#include "pmi/limits.hpp"
#include "pmi/world_messages.hpp"
#include "wire/group_fields.hpp"

namespace ductile::wire {

namespace limits {
/// The most keys of all ranks of a world between two barriers. In practice the limit of a frame is
/// reached first.
inline constexpr std::size_t keys = 1u << 18;
}  // namespace limits

struct KeyFields {
    std::string key, value;
    template <class V>
    void visit(V& v) {
        v.text("key", key, pmi::limits::key_bytes);
        v.text("value", value, pmi::limits::value_bytes);
    }
};

inline std::vector<KeyFields> to_fields(const pmi::Keys& keys) {
    std::vector<KeyFields> fields;
    for (const auto& [key, value] : keys) fields.push_back({key, value});
    return fields;
}
inline pmi::Keys to_keys(const std::vector<KeyFields>& fields) {
    pmi::Keys keys;
    for (const auto& one : fields) keys.insert_or_assign(one.key, one.value);
    return keys;
}

/// An mpiexec starts a group's ranks.
struct ByLauncher {
    static constexpr std::string_view name = "by_launcher";
    template <class V>
    void visit(V&) {}
};
/// Agents start the ranks, and serve them this data by PMI.
struct ServedWorld {
    static constexpr std::string_view name = "served_world";
    std::string kvsname;           ///< see pmi::KvsName
    int ranks = 1;                 ///< of the whole world
    int universe = 1;              ///< MPI_UNIVERSE_SIZE
    std::string mapping;           ///< PMI_process_mapping; empty: it is too long, or it follows
    bool mapping_follows = false;  ///< WorldMapping brings it
    bool port_needs_ipv4 = false;  ///< as in mpi::Capabilities
    template <class V>
    void visit(V& v) {
        v.text("kvsname", kvsname, limits::name_bytes), v.number("ranks", ranks, 1, limits::ranks);
        v.number("universe", universe, 1, limits::ranks);
        v.text("mapping", mapping, pmi::limits::mapping_bytes);
        v.flag("mapping_follows", mapping_follows), v.flag("port_needs_ipv4", port_needs_ipv4);
    }
};

/// Processes that the program starts by a call of MPI_Comm_spawn of its own. They may run another
/// program than the job.
struct ChildFields {
    int ranks = 1;                     ///< on this host, after the ranks of earlier entries
    int appnum = 0;                    ///< the index of the command in MPI_Comm_spawn_multiple
    std::vector<std::string> program;  ///< its name as passed to MPI, and its arguments
    std::string directory;             ///< info key `wdir`; empty: the job's directory
    std::string path;                  ///< info key `path`: the first place to look for the program
    template <class V>
    void visit(V& v) {
        v.number("ranks", ranks, 1, limits::ranks);
        v.number("appnum", appnum, 0, pmi::limits::commands_per_spawn);
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
        v.text("directory", directory, limits::text_bytes),
            v.text("path", path, limits::text_bytes);
    }
};

// ---- from agents ----

/// All ranks of the group on this host that take part have reached the barrier. The agent may send
/// this again to a broker that has taken the job over.
struct BarrierReached {
    static constexpr std::string_view name = "barrier_reached";
    GroupId group;
    int round = 0;
    std::vector<KeyFields> keys;  ///< put on this host since its last barrier
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("round", round, 0, INT32_MAX);
        v.list("keys", keys, limits::keys);
    }
};
/// No rank of the group on this host takes part in barriers any more.
struct LeftBarriers {
    static constexpr std::string_view name = "left_barriers";
    GroupId group;
    std::vector<KeyFields> keys;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.list("keys", keys, limits::keys);
    }
};
/// All ranks of a spawned group on this host wait at the group's gate, that is, for OpenGate.
struct GateReached {
    static constexpr std::string_view name = "gate_reached";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
/// A rank of a spawned group has ended before the gate was opened.
struct GateLost {
    static constexpr std::string_view name = "gate_lost";
    GroupId group;
    Rank rank;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank);
    }
};
enum class NameQuestion { publish, unpublish, lookup };
/// A rank publishes, unpublishes or looks up a name. NameAnswer is the answer.
struct NameAsked {
    static constexpr std::string_view name = "name_asked";
    GroupId group;
    Rank rank;
    NameQuestion question = NameQuestion::lookup;
    std::string service;
    std::string port;  ///< the port to publish
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank);
        v.choice("question", question, {"publish", "unpublish", "lookup"});
        v.text("service", service, pmi::limits::service_bytes);
        v.text("port", port, pmi::limits::port_bytes);
    }
};
/// An info entry of a command of an MPI_Comm_spawn(_multiple).
struct InfoFields {
    std::string key, value;
    template <class V>
    void visit(V& v) {
        v.text("key", key, pmi::limits::info_key_bytes);
        v.text("value", value, pmi::limits::info_value_bytes);
    }
};
struct SpawnCommandFields {
    int ranks = 1;
    std::vector<std::string> program;  ///< the program and its arguments
    std::vector<InfoFields> info;
    template <class V>
    void visit(V& v) {
        v.number("ranks", ranks, 0, pmi::limits::ranks_per_spawn);
        v.texts("program", program, limits::environment_entries, limits::environment_bytes);
        v.list("info", info, pmi::limits::fields_per_command);
    }
};
/// A rank is inside MPI_Comm_spawn. SpawnAnswer is the answer.
struct SpawnAsked {
    static constexpr std::string_view name = "spawn_asked";
    GroupId group;
    Rank rank;
    std::vector<SpawnCommandFields> commands;
    std::vector<KeyFields> keys;  ///< the first keys of the new world
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank);
        v.list("commands", commands, pmi::limits::commands_per_spawn);
        v.list("keys", keys, pmi::limits::fields_per_command);
    }
};

// ---- to agents ----

/// Start the ranks of this group. Its StartRun said that a rank of another group starts the group.
struct StartRanks {
    static constexpr std::string_view name = "start_ranks";
    GroupId group;
    std::vector<KeyFields> keys;  ///< the first keys of the world
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.list("keys", keys, pmi::limits::fields_per_command);
    }
};
struct BarrierReleased {
    static constexpr std::string_view name = "barrier_released";
    GroupId group;
    int round = 0;
    std::vector<KeyFields> keys;  ///< put on all hosts since the last barrier
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.number("round", round, 0, INT32_MAX);
        v.list("keys", keys, limits::keys);
    }
};
/// Which ranks of a group share a machine. An agent that knows the mapping already ignores this.
struct WorldMapping {
    static constexpr std::string_view name = "world_mapping";
    GroupId group;
    std::string mapping;  ///< PMI_process_mapping; empty: it is too long
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.text("mapping", mapping, pmi::limits::mapping_bytes);
    }
};
/// The ranks of a spawned group may connect to their parent.
struct OpenGate {
    static constexpr std::string_view name = "open_gate";
    GroupId group;
    template <class V>
    void visit(V& v) {
        v.id("group", group);
    }
};
struct NameAnswer {
    static constexpr std::string_view name = "name_answer";
    GroupId group;
    Rank rank;
    bool ok = false;
    std::string port;  ///< the result of a lookup
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.flag("ok", ok);
        v.text("port", port, pmi::limits::port_bytes);
    }
};
struct SpawnAnswer {
    static constexpr std::string_view name = "spawn_answer";
    GroupId group;
    Rank rank;
    bool ok = false;
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.flag("ok", ok);
    }
};

}  // namespace ductile::wire
