// The server of a whole world. It merges the messages of the hosts' parts.
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
/// All ranks of a spawned world wait at the gate. release_gate() may be called.
struct GateReady {
    bool operator==(const GateReady&) const = default;
};
/// A rank or a host ended before the gate was opened. Emitted at most once.
struct GateFailed {
    core::HostIndex host;  ///< the first host on which a rank ended
    bool operator==(const GateFailed&) const = default;
};
/// Between the same two barriers, two hosts put different values for one key. The value from the
/// host with the lower index is used.
struct KeyConflict {
    std::string key;
    bool operator==(const KeyConflict&) const = default;
};
using WorldEffect = std::variant<SendToHost, GateReady, GateFailed, KeyConflict>;
using WorldOutbox = std::vector<WorldEffect>;

/// Which server served the world's barriers before.
enum class Barriers {
    from_first,  ///< none: the world begins with this server
    /// A server that is lost. Each host repeats its last two barriers, because a host may still
    /// wait in a barrier that is already released on another host.
    taken_over
};

/// Merges the barriers and the gates of a world's hosts: for each barrier, one message from each
/// host and one to each host. Stores only the keys of the open barrier. For a world that is taken
/// over, stores the keys of the last three barriers at most, until one of them is released.
///
/// Example: hosts 0 and 1.
///
///     on(0, BarrierReached{0, {a: x}})    {}
///     on(1, BarrierReached{0, {b: y}})    {SendToHost{0, BarrierReleased{0, {a: x, b: y}}},
///                                          SendToHost{1, BarrierReleased{0, {a: x, b: y}}}}
class WorldServer {
  public:
    /// `hosts`: the hosts with ranks of the world. Throws InputError if there are none.
    WorldServer(std::set<core::HostIndex> hosts, Gate gate,
                Barriers barriers = Barriers::from_first);

    /// Ignores messages of hosts that are lost or not of this world, and barriers of a round that
    /// is not open: they came late or twice. In a world that is taken over, the open barrier is the
    /// first one that all hosts have reported.
    void on(core::HostIndex host, const FromHost& message, WorldOutbox& out);
    /// The ranks of the host count as ended. Keys that the host has sent stay.
    void on_host_lost(core::HostIndex host, WorldOutbox& out);
    /// Opens the gate on all hosts. Ignored unless GateReady was the last report about the gate.
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
        Values keys;  // put before this barrier
    };
    static void take_keys(core::HostIndex host, const Keys& keys, Values& into, WorldOutbox& out);
    void release(BarrierRound round, Barrier barrier, WorldOutbox& out);

    std::set<core::HostIndex> hosts_;           // hosts that are not lost
    std::set<core::HostIndex> in_barriers_;     // hosts that still take part in barriers
    std::map<BarrierRound, Barrier> barriers_;  // barriers that a host has reported, from round_ on
    std::map<core::HostIndex, Keys> left_keys_;  // keys of hosts that left, until the next release
    std::set<core::HostIndex> at_gate_;
    BarrierRound round_;  // the round of the open barrier, or a lower bound of it
    bool round_is_known_;
    GateState gate_;
};

}  // namespace ductile::pmi
