// An agent's life, as the broker sees it. Pure: times come in as arguments.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ductile::broker {

struct AgentTimes {
    std::chrono::milliseconds up{15000};  ///< from its start to its hello
    std::chrono::milliseconds beat{1000};
    std::chrono::milliseconds beat_limit{5000};
    /// For one that has lost its broker to connect to the next one: it tries about once a second.
    /// One that the job can do without is not waited for as long.
    [[nodiscard]] std::chrono::milliseconds back(bool is_needed) const {
        const std::chrono::milliseconds most = beat_limit + std::chrono::seconds(1);
        return is_needed ? most
                         : std::min<std::chrono::milliseconds>(most, std::chrono::seconds(3));
    }
};

namespace agent_event {
/// The process that is to start it, or a remote shell, runs here.
struct ProcessStarted {};
/// `why`: for people, if that is the agent's end; also of a process that could not be started.
struct ProcessEnded {
    std::string why;
};
/// It has connected, for the first time or once more.
struct Connected {};
struct Disconnected {
    std::string why;
};
struct StreamConnected {};
struct StreamDisconnected {};
struct Hello {};
/// It ends in order: its connection ends next.
struct Goodbye {};
/// Any other message.
struct Heard {};
/// A beat is due. `was_stopped`: this broker was, so that it has heard nobody.
struct HeartbeatDue {
    bool was_stopped = false;
};
/// Those that have not connected are not waited for any more.
struct GivenUp {
    std::string why;
};
/// Its owner wants nothing of it any more.
struct Dropped {};
/// The broker does. The agent may outlive it.
struct BrokerEnds {};
using Any = std::variant<ProcessStarted, ProcessEnded, Connected, Disconnected, StreamConnected,
                         StreamDisconnected, Hello, Goodbye, Heard, HeartbeatDue, GivenUp, Dropped,
                         BrokerEnds>;
}  // namespace agent_event

namespace agent_effect {
struct SendBeat {};
struct EndConnections {
    std::string why;
};
struct KillProcess {};
/// It may run on; nobody waits for it.
struct LeaveProcess {};
/// What it left on its host is to be cleaned up.
struct Sweep {};
struct TellUp {};
struct TellLost {
    std::string why;
};
struct TellGone {};
using Any = std::variant<SendBeat, EndConnections, KillProcess, LeaveProcess, Sweep, TellUp,
                         TellLost, TellGone>;
}  // namespace agent_effect

using AgentEffects = std::vector<agent_effect::Any>;

/// Up once, at its first hello; then, or without that, lost, gone or dropped once: over. What comes
/// later has no effect.
class RemoteAgent {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// It is to connect within `patience` from `now`.
    RemoteAgent(Time now, std::chrono::milliseconds patience) : state_(Awaited{now, patience}) {}

    [[nodiscard]] AgentEffects on(const agent_event::Any& event, Time now, const AgentTimes& times);

    [[nodiscard]] bool is_connected() const;
    /// Also when its connection has ended since.
    [[nodiscard]] bool has_said_hello() const { return has_said_hello_; }
    [[nodiscard]] bool is_over() const { return std::holds_alternative<Over>(state_); }

  private:
    struct Awaited {
        Time since;
        std::chrono::milliseconds patience;
    };
    /// A connection of it is there, and no hello yet: it may have given up this attempt on a busy
    /// machine, and try again.
    struct Unintroduced {
        Awaited awaited;
        Time heard;
        std::optional<std::string> why_ended;  ///< its process, meanwhile
    };
    struct Connected {
        Time heard;
    };
    /// It has said goodbye; its connection is still there.
    struct Leaving {
        Time heard;
    };
    /// Its connection has ended in order. All of its output is waited for, then its process.
    struct Left {
        std::optional<Time> silent_since;  ///< both connections are over
    };
    struct Over {};
    struct Handler;

    std::variant<Awaited, Unintroduced, Connected, Leaving, Left, Over> state_;
    bool has_said_hello_ = false;
    bool has_process_ = false, has_stream_ = false;
};

}  // namespace ductile::broker
