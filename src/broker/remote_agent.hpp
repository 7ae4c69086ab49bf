// The life of an agent, as the broker sees it. Pure: times come in as arguments.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "os/job_clock.hpp"

namespace ductile::broker {

struct AgentTimes {
    std::chrono::milliseconds up{15000};  ///< from the start of an agent to its connection
    std::chrono::milliseconds heartbeat{1000};
    std::chrono::milliseconds heartbeat_limit{5000};
    /// The time for an agent that has lost its broker to connect to the next broker. The agent
    /// tries about once a second. The time is shorter for an agent that the job does not need.
    [[nodiscard]] std::chrono::milliseconds back(bool is_needed) const {
        const std::chrono::milliseconds most = heartbeat_limit + std::chrono::seconds(1);
        return is_needed ? most
                         : std::min<std::chrono::milliseconds>(most, std::chrono::seconds(3));
    }
};

namespace agent_event {
/// The process that starts the agent (a remote shell, for example) runs on this machine.
struct ProcessStarted {};
/// This process has ended, or could not be started. `why`: for people, if the agent is lost.
struct ProcessEnded {
    std::string why;
};
/// The agent has connected, for the first time or again.
struct Connected {};
struct Disconnected {
    std::string why;
};
/// The agent's second connection, for the output and the input of its ranks.
struct StreamConnected {};
struct StreamDisconnected {};
struct Hello {};
/// The agent ends normally: its connection ends next.
struct Goodbye {};
/// Any other message.
struct Heard {};
/// A heartbeat is due. `was_stopped`: this broker was stopped, so it has received no messages.
struct HeartbeatDue {
    bool was_stopped = false;
};
/// The broker does not wait any more for agents that have not connected.
struct GivenUp {
    std::string why;
};
/// The owner of the pool ignores the agent from now on.
struct Dropped {};
/// The broker ends. The agent may outlive the broker.
struct BrokerEnds {};
using Any = std::variant<ProcessStarted, ProcessEnded, Connected, Disconnected, StreamConnected,
                         StreamDisconnected, Hello, Goodbye, Heard, HeartbeatDue, GivenUp, Dropped,
                         BrokerEnds>;
}  // namespace agent_event

namespace agent_effect {
struct SendHeartbeat {};
struct EndConnections {
    std::string why;
};
struct KillProcess {};
/// The process may continue, but nobody waits for it.
struct LeaveProcess {};
/// Clean up the host of the agent.
struct Sweep {};
struct TellUp {};
struct TellLost {
    std::string why;
};
struct TellGone {};
using Any = std::variant<SendHeartbeat, EndConnections, KillProcess, LeaveProcess, Sweep, TellUp,
                         TellLost, TellGone>;
}  // namespace agent_effect

using AgentEffects = std::vector<agent_effect::Any>;

/// An agent is up once, at its first hello. Later, or without having been up, it is lost, gone or
/// dropped once. Then its life is over, and events have no effect.
class RemoteAgent {
  public:
    using Time = os::JobClock::time_point;

    /// The agent must connect within `patience` from `now`.
    RemoteAgent(Time now, std::chrono::milliseconds patience) : state_(Awaited{now, patience}) {}

    [[nodiscard]] AgentEffects on(const agent_event::Any& event, Time now, const AgentTimes& times);

    [[nodiscard]] bool is_connected() const;
    /// True even if the connection has ended since.
    [[nodiscard]] bool has_sent_hello() const { return has_sent_hello_; }
    [[nodiscard]] bool is_over() const { return std::holds_alternative<Over>(state_); }

  private:
    struct Awaited {
        Time since;
        std::chrono::milliseconds patience;
    };
    /// The agent has connected, but has not said hello. On a busy machine it may have given up this
    /// connection, and connect again.
    struct Unintroduced {
        Awaited awaited;
        Time heard;
        std::optional<std::string> why_ended;  ///< why its process has ended meanwhile
    };
    struct Connected {
        Time heard;
    };
    /// The agent has said goodbye. Its connection is still open.
    struct Leaving {
        Time heard;
    };
    /// The connection has ended normally. The broker waits for all output, then for the process.
    struct Left {
        std::optional<Time> silent_since;  ///< since both connections ended
    };
    struct Over {};
    struct Handler;

    std::variant<Awaited, Unintroduced, Connected, Leaving, Left, Over> state_;
    bool has_sent_hello_ = false;
    bool has_process_ = false, has_stream_ = false;
};

}  // namespace ductile::broker
