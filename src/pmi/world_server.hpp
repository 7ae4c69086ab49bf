// The whole of a world: merges what the hosts' parts say.
#pragma once

#include <map>
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

/// Who served the world's barriers before.
enum class Barriers {
    from_first,  ///< nobody: no barrier was passed
    /// A server that is lost. Each host says its last two barriers again: a host may wait in one
    /// of which another one was told that it is over.
    taken_over
};

/// Merges the barriers and the gates of a world's hosts: one message up and one down a host and
/// barrier. Holds the keys of the open barrier alone; of a world that is taken over, of the last
/// three at most, until the first of them is released.
///
/// Example: hosts 0 and 1.
///
///     on(0, BarrierReached{0, {a: x}})    {}
///     on(1, BarrierReached{0, {b: y}})    {SendToHost{0, BarrierReleased{0, {a: x, b: y}}},
///                                          SendToHost{1, BarrierReleased{0, {a: x, b: y}}}}
class WorldServer {
  public:
    /// `hosts`: those with ranks of the world. Throws InputError when there are none.
    WorldServer(std::set<core::HostIndex> hosts, Gate gate,
                Barriers barriers = Barriers::from_first);

    /// Messages of hosts that are lost or not of this world, and barriers of another round than
    /// the open one, are passed over: they were on their way, or came twice. Where the world was
    /// taken over, the open one is the first that all hosts have said.
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
    [[nodiscard]] bool is_open(BarrierRound round) const;
    void release_if_all(WorldOutbox& out);
    void fail_gate(core::HostIndex host, WorldOutbox& out);

    struct Value {
        std::string text;
        core::HostIndex from;
    };
    using Values = std::map<std::string, Value>;
    struct Barrier {
        std::set<core::HostIndex> reached;
        Values keys;  // put before it
    };
    static void take_keys(core::HostIndex host, const Keys& keys, Values& into, WorldOutbox& out);
    void release(BarrierRound round, Barrier barrier, WorldOutbox& out);

    std::set<core::HostIndex> hosts_;            // not lost
    std::set<core::HostIndex> in_barriers_;      // that still take part
    std::map<BarrierRound, Barrier> barriers_;   // that a host has said, from round_ on
    std::map<core::HostIndex, Keys> left_keys_;  // of hosts that have left, until the next release
    std::set<core::HostIndex> at_gate_;
    BarrierRound round_;  // of the open barrier; the least that it can be
    bool round_is_known_;
    GateState gate_;
};

}  // namespace ductile::pmi
