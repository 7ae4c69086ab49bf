// How it stands with the broker, by what its connection shows. Pure: times come in as arguments.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/heartbeat.hpp"

namespace ductile::agent {

enum class BrokerState {
    connecting,  ///< never reached yet
    connected,
    unresponsive,  ///< its host answers, it does not: stopped, perhaps; it may go on any time
    unreachable,   ///< its host does not answer: that one or ours is cut off or down
    gone,          ///< its host answers, its process is no more
};

/// Words for messages: "is gone", "cannot be reached", ...
std::string to_text(BrokerState state);

namespace broker_event {
/// Beats begin.
struct Started {};
/// A connection is there, or a message has come over it.
struct Heard {};
/// The connection has ended. This alone does not say that the process is gone: the next attempt
/// does.
struct Closed {};
/// The connection has ended for want of acknowledgements: its host does not answer.
struct CutOff {};
// An attempt to connect came to nothing:
struct Refused {};      ///< nobody listens at its port
struct Unanswered {};   ///< what listens says nothing
struct Unreachable {};  ///< no answer, no route
struct MetStranger {};  ///< somebody else listens at its port
/// It is time to say that this process lives.
struct HeartbeatDue {};
using Any = std::variant<Started, Heard, Closed, CutOff, Refused, Unanswered, Unreachable,
                         MetStranger, HeartbeatDue>;
}  // namespace broker_event

namespace broker_effect {
struct StateChanged {
    BrokerState state;
};
/// This process was stopped for a while: what it did not hear meanwhile says nothing.
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
    void on_beat(Time now, BrokerEffects& effects);
    void on_stranger(BrokerEffects& effects);
    void on_failed_attempt(BrokerState seen, BrokerEffects& effects);
    void become(BrokerState state, BrokerEffects& effects);

    Heartbeat heartbeat_;
    BrokerState state_ = BrokerState::connecting;
    std::optional<Time> heard_;  // last; none without a connection
    Time last_beat_;
    int strangers_ = 0;  // so many in a row
};

}  // namespace ductile::agent
