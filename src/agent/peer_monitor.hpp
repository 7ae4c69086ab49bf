// Holds a job together when its broker is gone. The coordinator is the agent of rank 0's host. The
// coordinator exchanges heartbeats with all other agents. Pure: times come in as arguments.
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
// Events of another agent, for which this agent is the coordinator:
struct Heard {  ///< the other agent has connected, or sent a message
    core::HostIndex from;
};
struct Ended {  ///< everything has ended normally on that host
    core::HostIndex from;
};
struct Failed {  ///< a rank of that host has failed
    core::HostIndex from;
};
struct Closed {
    core::HostIndex from;
};
// Events of the coordinator:
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
    /// Whether this agent needs a connection to the coordinator. True only without a broker.
    [[nodiscard]] bool wants_coordinator() const;
    /// For the coordinator: every other host with members sends heartbeats, or has ended normally.
    /// For another agent: the coordinator sends heartbeats, and has not ended. False if no
    /// coordinator is known.
    [[nodiscard]] bool is_complete(Time now) const;
    /// For the coordinator: all other hosts with members have ended normally. For another agent:
    /// the coordinator has ended normally. True if no coordinator is known.
    [[nodiscard]] bool others_ended() const;
    /// For the coordinator: a rank of another host has failed, and no broker has connected since.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

  private:
    struct Peer {
        std::optional<Time> heard;  ///< when it was last heard; nullopt without a connection
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
    std::map<core::HostIndex, Peer> peers_;  // agents for which this one is the coordinator
    bool is_brokerless_ = false, has_failed_ = false;
};

}  // namespace ductile::agent
