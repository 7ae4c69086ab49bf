// The state of the broker, as its connection shows it. Pure: times come in as arguments.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/heartbeat.hpp"

namespace ductile::agent {

enum class BrokerState {
    connecting,    ///< never reached yet
    connected,     ///< also after the connection has ended, until it is known why
    unresponsive,  ///< its host answers, but the broker does not: perhaps it is stopped
    unreachable,   ///< its host does not answer: one of the two hosts is cut off or down
    gone,          ///< its host answers, but its process does not exist any more
};

/// Words for messages: "is gone", "cannot be reached", ...
std::string to_text(BrokerState state);

namespace broker_event {
/// Heartbeats begin.
struct Started {};
/// A connection is open, or a message has arrived.
struct Heard {};
/// The connection has ended. The next attempt to connect shows whether the process is gone.
struct Closed {};
/// The connection has ended because the broker's host does not acknowledge data.
struct CutOff {};
// An attempt to connect failed:
struct Refused {};          ///< no process listens at the broker's port
struct Unanswered {};       ///< the process that listens does not answer
struct Unreachable {};      ///< no answer, no route
struct Unauthenticated {};  ///< another program listens at the broker's port
/// It is time to send a heartbeat.
struct HeartbeatDue {};
using Any = std::variant<Started, Heard, Closed, CutOff, Refused, Unanswered, Unreachable,
                         Unauthenticated, HeartbeatDue>;
}  // namespace broker_event

namespace broker_effect {
struct StateChanged {
    BrokerState state;
};
/// This process was stopped for a while. So the silence of the broker or of others means nothing.
struct WasFrozen {};
using Any = std::variant<StateChanged, WasFrozen>;
}  // namespace broker_effect

using BrokerEffects = std::vector<broker_effect::Any>;

class BrokerHealth {
  public:
    void set_heartbeat(const Heartbeat& heartbeat) { heartbeat_ = heartbeat; }
    [[nodiscard]] const Heartbeat& heartbeat() const { return heartbeat_; }
    void on(const broker_event::Any& event, Time now, BrokerEffects& effects);
    [[nodiscard]] BrokerState state() const { return state_; }

  private:
    void on_heartbeat_due(Time now, BrokerEffects& effects);
    void on_unauthenticated(BrokerEffects& effects);
    void on_failed_attempt(BrokerState seen, BrokerEffects& effects);
    void become(BrokerState state, BrokerEffects& effects);

    Heartbeat heartbeat_;
    BrokerState state_ = BrokerState::connecting;
    std::optional<Time> heard_;  // when the broker was last heard; nullopt without a connection
    Time last_heartbeat_;
    int unauthenticated_ = 0;  // the number of Unauthenticated in a row
};

}  // namespace ductile::agent
