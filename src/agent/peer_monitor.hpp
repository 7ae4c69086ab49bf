// What holds a job together when its broker is gone: the agent of rank 0's host (the coordinator)
// hears from all the others, and they from it. Pure: times come in as arguments.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "agent/heartbeat.hpp"
#include "core/ids.hpp"

namespace ductile::agent {

namespace peer_event {
struct CoordinatorNamed {
    core::HostIndex host;
    std::vector<core::HostIndex> members;  ///< the hosts that hold members of the job
};
struct BrokerLost {};
struct BrokerBack {};
// Of another agent, which takes this one for the coordinator:
struct Heard {  ///< it has connected, or sent a message
    core::HostIndex from;
};
struct Ended {  ///< all has ended there in order
    core::HostIndex from;
};
struct Failed {  ///< one of its ranks has failed
    core::HostIndex from;
};
struct Closed {
    core::HostIndex from;
};
// Of the coordinator:
struct CoordinatorHeard {};
struct CoordinatorEnded {};
struct CoordinatorClosed {};
using Any = std::variant<CoordinatorNamed, BrokerLost, BrokerBack, Heard, Ended, Failed, Closed,
                         CoordinatorHeard, CoordinatorEnded, CoordinatorClosed>;
}  // namespace peer_event

class PeerMonitor {
  public:
    explicit PeerMonitor(core::HostIndex self) : self_(self) {}

    void set_heartbeat(const Heartbeat& heartbeat) { heartbeat_ = heartbeat; }
    [[nodiscard]] const Heartbeat& heartbeat() const { return heartbeat_; }
    void on(const peer_event::Any& event, Time now);

    [[nodiscard]] bool is_coordinator() const;
    [[nodiscard]] bool knows_coordinator() const { return coordinator_.has_value(); }
    [[nodiscard]] bool is_coordinator(core::HostIndex host) const;
    /// A connection to the coordinator is to be there, or to be made: without a broker alone.
    [[nodiscard]] bool wants_coordinator() const;
    /// The coordinator hears of every host that holds members, or they have ended in order; the
    /// others hear of the coordinator.
    [[nodiscard]] bool is_complete(Time now) const;
    /// All other hosts that hold members have ended in order (coordinator), or the coordinator has.
    [[nodiscard]] bool others_ended() const;
    /// A rank of another host has failed, and no broker has been there since.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

  private:
    struct Peer {
        std::optional<Time> heard;  ///< last; none without a connection
        bool ended = false;
    };
    struct Coordinator {
        core::HostIndex host;
        std::vector<core::HostIndex> members;
        Peer peer;
    };
    void name(const peer_event::CoordinatorNamed& what);
    [[nodiscard]] bool is_heard(const Peer& peer, Time now) const;
    template <class Predicate>
    [[nodiscard]] bool all_members(const Predicate& is_well) const;

    core::HostIndex self_;
    Heartbeat heartbeat_;
    std::optional<Coordinator> coordinator_;
    std::map<core::HostIndex, Peer> peers_;  // who takes this host for the coordinator
    bool is_brokerless_ = false, has_failed_ = false;
};

}  // namespace ductile::agent
