#include "broker/agent_pool.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "broker/current_channel.hpp"
#include "core/overloaded.hpp"

namespace ductile::broker {

using Clock = os::JobClock;

struct AgentPool::Agent {
    Agent(AgentStarter::Who of, RemoteAgent at_first)
        : who(std::move(of)), life(std::move(at_first)) {}

    AgentStarter::Who who;
    RemoteAgent life;
    std::unique_ptr<rms::AgentProcess> process;
    CurrentChannel control, stream;
    std::optional<wire::AgentHello> hello;
};

AgentPool::AgentPool(asio::io_context& io, std::string job, rms::ResourceManager& rms,
                     AgentTimes times, AgentEvents events,
                     const std::optional<BrokerEndpoint>& endpoint, AgentSetup setup)
    : io_(io),
      job_(std::move(job)),
      times_(times),
      events_(std::move(events)),
      secret_(endpoint ? endpoint->secret : wire::make_secret()),
      starter_(io, job_, rms, std::move(setup)),
      timer_(io),
      pauses_(Clock::now(), times.heartbeat) {
    server_ = std::make_unique<wire::ChannelServer>(
        io_, rms.bind_address(), endpoint ? endpoint->port : 0,
        [this](const wire::Identity& identity) { return admit(identity); },
        [this](std::shared_ptr<wire::Channel> channel, const wire::Identity& identity) {
            accepted(std::move(channel), identity);
        });
    watch();
}

AgentPool::~AgentPool() {
    const auto agents = agents_;
    for (const auto& [host, agent] : agents) apply(agent, agent_event::BrokerEnds{});
}

void AgentPool::start(HostIndex host, const std::string& name,
                      const std::vector<wire::StartRun>& runs) {
    const auto agent =
        std::make_shared<Agent>(AgentStarter::Who{host, name, Generation{++generations_}},
                                RemoteAgent(Clock::now(), times_.up));
    agents_[host] = agent;
    const auto ended = [this, weak = std::weak_ptr(agent)](const std::string& why) {
        const auto alive = weak.lock();
        if (alive && !alive->life.is_over()) apply(alive, agent_event::ProcessEnded{why});
    };
    // Reported later as an event, because the caller is still starting other agents.
    const auto not_started = [this, ended](const std::string& why) {
        asio::post(io_, [ended, why] { ended("its agent could not be started: " + why); });
    };
    if (const auto why = events_.on_start()) return not_started(*why);
    try {
        agent->process = starter_.start(
            agent->who, endpoint(), runs, [ended](int code, const std::string& text) {
                ended("its agent ended before it connected (exit code " + std::to_string(code) +
                      ")" + (text.empty() ? "" : ": " + text));
            });
        apply(agent, agent_event::ProcessStarted{});
    } catch (const Error& error) {
        not_started(error.what());
    }
}

void AgentPool::expect(HostIndex host, const std::string& name, Generation generation,
                       bool is_needed) {
    agents_[host] = std::make_shared<Agent>(AgentStarter::Who{host, name, generation},
                                            RemoteAgent(Clock::now(), times_.back(is_needed)));
    continue_from(generation.value);
}

Generation AgentPool::generation(HostIndex host) const {
    return agents_.at(host)->who.generation;
}

// ---- connections ----

std::optional<wire::Admission> AgentPool::admit(const wire::Identity& identity) const {
    if (identity.job != job_) return std::nullopt;
    const auto it = agents_.find(identity.host);
    if (it != agents_.end() && it->second->who.generation == identity.generation)
        return wire::Admission{secret_, {}};
    const bool never_given = identity.generation.value > generations_;
    if (never_given && events_.on_unknown(identity.host)) return std::nullopt;
    return wire::Admission{secret_, "this agent's host is no longer part of job " + job_};
}

void AgentPool::accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& identity) {
    const auto it = agents_.find(identity.host);
    if (it == agents_.end() || it->second->who.generation != identity.generation)
        return channel->fail("an agent of an earlier generation");
    const auto agent = it->second;
    if (!identity.stream) {
        apply(agent, agent_event::Connected{});
        return agent->control.replace(
            std::move(channel),
            [this, agent](const wire::Message& encoded) { heard(agent, encoded); },
            [this, agent](const std::string& why) {
                apply(agent, agent_event::Disconnected{why});
            });
    }
    if (output_paused_) channel->pause_reading();
    channel->on_drained = [this, host = agent->who.host] { events_.on_input_room(host); };
    apply(agent, agent_event::StreamConnected{});
    agent->stream.replace(
        std::move(channel),
        [this, agent](const wire::Message& encoded) {
            const auto message = wire::decode<wire::FromStream>(encoded);
            if (const auto* output = std::get_if<wire::Output>(&message))
                events_.on_output(agent->who.host, *output);
        },
        [this, agent](const std::string&) { apply(agent, agent_event::StreamDisconnected{}); });
    events_.on_input_room(agent->who.host);
}

void AgentPool::heard(const std::shared_ptr<Agent>& agent, const wire::Message& encoded) {
    const auto message = wire::decode<wire::FromAgent>(encoded);
    if (const auto* hello = std::get_if<wire::AgentHello>(&message)) {
        agent->hello = *hello;
        return apply(agent, agent_event::Hello{});
    }
    if (std::holds_alternative<wire::AgentGoodbye>(message))
        return apply(agent, agent_event::Goodbye{});
    apply(agent, agent_event::Heard{});
    if (!std::holds_alternative<wire::Heartbeat>(message))
        events_.on_message(agent->who.host, message);
}

// ---- an agent's life ----

void AgentPool::apply(const std::shared_ptr<Agent>& agent, const agent_event::Any& event) {
    const auto effects = agent->life.on(event, Clock::now(), times_);
    // The callback about this agent's end may start another agent on the same host.
    const auto it = agents_.find(agent->who.host);
    if (agent->life.is_over() && it != agents_.end() && it->second == agent) agents_.erase(it);
    for (const auto& effect : effects) carry_out(*agent, effect);
}

void AgentPool::carry_out(Agent& agent, const agent_effect::Any& effect) {
    const auto host = agent.who.host;
    std::visit(
        core::Overloaded{
            [&](const agent_effect::SendHeartbeat&) {
                if (auto* control = agent.control.get())
                    control->send(wire::ToAgent{wire::Heartbeat{}});
            },
            [&](const agent_effect::EndConnections& end) {
                agent.control.end(end.why);
                agent.stream.end(end.why);
            },
            [&](const agent_effect::KillProcess&) { agent.process->kill(); },
            [&](const agent_effect::LeaveProcess&) { starter_.leave(std::move(agent.process)); },
            [&](const agent_effect::Sweep&) {
                starter_.sweep(agent.who, [this, host] { events_.on_swept(host); });
            },
            [&](const agent_effect::TellUp&) { events_.on_up(host); },
            [&](const agent_effect::TellLost& lost) { events_.on_lost(host, lost.why); },
            [&](const agent_effect::TellGone&) { events_.on_gone(host); },
        },
        effect);
}

void AgentPool::drop(HostIndex host) {
    const auto it = agents_.find(host);
    if (it == agents_.end()) return;
    const auto agent = it->second;
    apply(agent, agent_event::Dropped{});
}

void AgentPool::give_up_on_absent(const std::string& why) {
    const auto agents = agents_;
    for (const auto& [host, agent] : agents) apply(agent, agent_event::GivenUp{why});
}

void AgentPool::watch() {
    timer_.expires_after(times_.heartbeat);
    timer_.async_wait([this](const std::error_code& error) {
        if (error) return;
        const auto now = Clock::now();
        const agent_event::HeartbeatDue due{pauses_.look(now)};
        const auto agents = agents_;
        for (const auto& [host, agent] : agents) apply(agent, due);
        starter_.check(now);
        watch();
    });
}

// ---- what is asked, and what is sent ----

bool AgentPool::is_up(HostIndex host) const {
    const auto it = agents_.find(host);
    return it != agents_.end() && it->second->life.is_connected() && it->second->hello;
}

std::vector<HostIndex> AgentPool::hosts() const {
    std::vector<HostIndex> result;
    for (const auto& [host, agent] : agents_) result.push_back(host);
    return result;
}

const wire::AgentHello* AgentPool::hello(HostIndex host) const {
    const auto it = agents_.find(host);
    return it == agents_.end() || !it->second->hello ? nullptr : &*it->second->hello;
}

void AgentPool::send(HostIndex host, const wire::ToAgent& message) {
    const auto it = agents_.find(host);
    if (it == agents_.end()) return;
    if (auto* control = it->second->control.get()) control->send(message);
}

void AgentPool::send_to_all(const wire::ToAgent& message) {
    for (const auto& [host, agent] : agents_)
        if (auto* control = agent->control.get()) control->send(message);
}

bool AgentPool::is_any_absent() const {
    return std::ranges::any_of(agents_, [this](const auto& entry) { return !is_up(entry.first); });
}

bool AgentPool::has_unsent() const {
    return std::ranges::any_of(agents_, [](const auto& entry) {
        const auto* control = entry.second->control.get();
        return control != nullptr && control->queued_bytes() > 0;
    });
}

void AgentPool::send_input(HostIndex host, const std::string& data) {
    const auto it = agents_.find(host);
    if (it == agents_.end()) return;
    if (auto* stream = it->second->stream.get()) stream->send(wire::ToStream{wire::Input{data}});
}

std::size_t AgentPool::input_queued(HostIndex host) const {
    const auto it = agents_.find(host);
    const auto* stream = it == agents_.end() ? nullptr : it->second->stream.get();
    return stream == nullptr ? SIZE_MAX : stream->queued_bytes();
}

void AgentPool::pause_output(bool paused) {
    if (output_paused_ == paused) return;
    output_paused_ = paused;
    for (const auto& [host, agent] : agents_) {
        auto* stream = agent->stream.get();
        if (stream == nullptr) continue;
        if (paused)
            stream->pause_reading();
        else
            stream->resume_reading();
    }
}

}  // namespace ductile::broker
