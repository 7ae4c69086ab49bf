#include "broker/remote_agent.hpp"

#include <utility>

namespace ductile::broker {

namespace {

// A remote shell may stay longer for another reason. The host is free nevertheless.
constexpr auto exit_within = std::chrono::seconds(2);

std::string seconds_of(std::chrono::milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

/// Has a function for each event.
struct RemoteAgent::Handler {
    RemoteAgent& agent;
    const Time now;
    const AgentTimes& times;
    AgentEffects effects;

    void operator()(const agent_event::ProcessStarted&) { agent.has_process_ = true; }
    // When the agent is connected, only its connection counts: a remote shell may end at any time.
    void operator()(const agent_event::ProcessEnded& ended) {
        agent.has_process_ = false;
        if (is<Awaited>()) return lose(ended.why);
        if (auto* unintroduced = std::get_if<Unintroduced>(&agent.state_))
            unintroduced->why_ended = ended.why;
        end_if_silent();
    }
    void operator()(const agent_event::Connected&) {
        if (const auto* awaited = std::get_if<Awaited>(&agent.state_))
            agent.state_ = Unintroduced{*awaited, now, {}};
        else if (auto* unintroduced = std::get_if<Unintroduced>(&agent.state_))
            unintroduced->heard = now;
        else if (is<Connected>())
            agent.state_ = Connected{now};
        else
            agent.state_ = Leaving{now};
    }
    void operator()(const agent_event::Disconnected& ended) {
        if (const auto* unintroduced = std::get_if<Unintroduced>(&agent.state_)) {
            if (const auto why = unintroduced->why_ended) return lose(*why);
            agent.state_ = Awaited{unintroduced->awaited};
        }
        if (is<Connected>())
            return lose("the connection to its agent has ended (" + ended.why + ")");
        if (is<Leaving>()) agent.state_ = Left{};
        end_if_silent();
    }
    void operator()(const agent_event::StreamConnected&) { agent.has_stream_ = true; }
    void operator()(const agent_event::StreamDisconnected&) {
        agent.has_stream_ = false;
        end_if_silent();
    }
    void operator()(const agent_event::Hello&) {
        hear();
        if (is<Unintroduced>()) agent.state_ = Connected{now};
        if (!std::exchange(agent.has_sent_hello_, true))
            effects.emplace_back(agent_effect::TellUp{});
    }
    void operator()(const agent_event::Goodbye&) {
        if (is<Connected>() || is<Unintroduced>()) agent.state_ = Leaving{now};
        hear();
    }
    void operator()(const agent_event::Heard&) { hear(); }
    void operator()(const agent_event::HeartbeatDue& due) {
        if (due.was_stopped) hear();
        if (auto* awaited = std::get_if<Awaited>(&agent.state_)) {
            if (due.was_stopped) awaited->since = now;
            if (now - awaited->since > awaited->patience)
                lose("its agent did not connect within " + seconds_of(awaited->patience));
        } else if (const auto heard = last_heard()) {
            effects.emplace_back(agent_effect::SendHeartbeat{});
            if (now - *heard > times.heartbeat_limit)
                lose("its agent has been silent for " + seconds_of(times.heartbeat_limit));
        }
        end_if_silent();
    }
    void operator()(const agent_event::GivenUp& given_up) {
        if (!is<Awaited>()) return;
        end_connections("given up");
        if (agent.has_process_) effects.emplace_back(agent_effect::KillProcess{});
        effects.emplace_back(agent_effect::TellLost{given_up.why});
    }
    void operator()(const agent_event::Dropped&) { drop(); }
    void operator()(const agent_event::BrokerEnds&) {
        end_connections("the broker ends");
        kill_if_unknown();
    }

    template <class State>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<State>(agent.state_);
    }
    [[nodiscard]] std::optional<Time> last_heard() const {
        if (const auto* unintroduced = std::get_if<Unintroduced>(&agent.state_))
            return unintroduced->heard;
        if (const auto* connected = std::get_if<Connected>(&agent.state_)) return connected->heard;
        if (const auto* leaving = std::get_if<Leaving>(&agent.state_)) return leaving->heard;
        return std::nullopt;
    }
    void hear() {
        if (auto* unintroduced = std::get_if<Unintroduced>(&agent.state_))
            unintroduced->heard = now;
        if (auto* connected = std::get_if<Connected>(&agent.state_)) connected->heard = now;
        if (auto* leaving = std::get_if<Leaving>(&agent.state_)) leaving->heard = now;
    }
    void lose(const std::string& why) {
        drop();
        effects.emplace_back(agent_effect::TellLost{why});
    }
    void drop() {
        end_connections("dropped");
        kill_if_unknown();
        effects.emplace_back(agent_effect::LeaveProcess{});
        effects.emplace_back(agent_effect::Sweep{});
    }
    void end_connections(const char* why) {
        agent.state_ = Over{};
        effects.emplace_back(agent_effect::EndConnections{why});
    }
    /// If the agent has never said hello, its process may be a remote shell that hangs.
    void kill_if_unknown() {
        if (agent.has_process_ && !agent.has_sent_hello_)
            effects.emplace_back(agent_effect::KillProcess{});
    }
    // Both connections are over, so all output has arrived. The host is free when the process has
    // ended, too, or when exit_within has passed.
    void end_if_silent() {
        auto* left = std::get_if<Left>(&agent.state_);
        if (left == nullptr || agent.has_stream_) return;
        if (!left->silent_since) left->silent_since = now;
        if (agent.has_process_ && now - *left->silent_since < exit_within) return;
        agent.state_ = Over{};
        effects.emplace_back(agent_effect::LeaveProcess{});
        effects.emplace_back(agent_effect::TellGone{});
    }
};

AgentEffects RemoteAgent::on(const agent_event::Any& event, Time now, const AgentTimes& times) {
    if (is_over()) return {};
    Handler handler{*this, now, times, {}};
    std::visit(handler, event);
    return std::move(handler.effects);
}

bool RemoteAgent::is_connected() const {
    return std::holds_alternative<Unintroduced>(state_) ||
           std::holds_alternative<Connected>(state_) || std::holds_alternative<Leaving>(state_);
}

}  // namespace ductile::broker
