// The whole of a world: merges what the hosts' parts say.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "pmi/host_world.hpp"
#include "pmi/world_messages.hpp"

namespace ductile::pmi {

struct SendToHost {
    core::HostIndex host;
    ToHost message;
    bool operator==(const SendToHost&) const = default;
};
/// All ranks of a spawned world wait at the gate: release_gate() may be called.
struct GateReady {
    bool operator==(const GateReady&) const = default;
};
/// A rank or a host ended before the gate was opened. Said at most once.
struct GateFailed {
    core::HostIndex host;  ///< the first at which a rank ended
    bool operator==(const GateFailed&) const = default;
};
/// Two hosts put different values between the same barriers; that of the lower host holds.
struct KeyConflict {
    std::string key;
    bool operator==(const KeyConflict&) const = default;
};
using WorldEffect = std::variant<SendToHost, GateReady, GateFailed, KeyConflict>;
using WorldOutbox = std::vector<WorldEffect>;

/// Merges the barriers and the gates of a world's hosts: one message up and one down a host and
/// barrier. Holds the keys of the open barrier alone.
///
/// Example: hosts 0 and 1.
///
///     on(0, BarrierReached{0, {a: x}})    {}
///     on(1, BarrierReached{0, {b: y}})    {SendToHost{0, BarrierReleased{0, {a: x, b: y}}},
///                                          SendToHost{1, BarrierReleased{0, {a: x, b: y}}}}
class WorldServer {
  public:
    /// `hosts`: those with ranks of the world. Throws InputError when there are none.
    WorldServer(std::set<core::HostIndex> hosts, Gate gate);

    /// Messages of hosts that are lost or not of this world, and barriers of another round than
    /// the open one, are passed over: they were on their way, or came twice.
    void on(core::HostIndex host, const FromHost& message, WorldOutbox& out);
    /// The host's ranks count as ended. Keys that it has sent stay.
    void on_host_lost(core::HostIndex host, WorldOutbox& out);
    /// Opens the gate on all hosts. Passed over unless GateReady was said last.
    void release_gate(WorldOutbox& out);

  private:
    enum class GateState { open, shut, ready, failed };

    void on(core::HostIndex host, const BarrierReached& message, WorldOutbox& out);
    void on(core::HostIndex host, const LeftBarriers& message, WorldOutbox& out);
    void on(core::HostIndex host, const GateReached& message, WorldOutbox& out);
    void on(core::HostIndex host, const GateLost& message, WorldOutbox& out);
    void take_keys(core::HostIndex host, const Keys& keys, WorldOutbox& out);
    void release_if_all(WorldOutbox& out);
    void fail_gate(core::HostIndex host, WorldOutbox& out);

    struct Value {
        std::string text;
        core::HostIndex from;
    };

    std::set<core::HostIndex> hosts_;        // not lost
    std::set<core::HostIndex> in_barriers_;  // that still take part
    std::set<core::HostIndex> reached_;      // of these, in the open barrier
    std::set<core::HostIndex> at_gate_;
    std::map<std::string, Value> keys_;  // put before the open barrier
    BarrierRound round_;
    GateState gate_;
};

}  // namespace ductile::pmi
