#include "broker/agent_pool.hpp"

#include <algorithm>
#include <asio/post.hpp>

#include "rms/self.hpp"
#include "wire/json_line.hpp"

namespace ductile::broker {

using Clock = std::chrono::steady_clock;

struct AgentPool::Agent {
    HostIndex host;
    std::string name;  ///< the host's
    Generation generation;
    std::unique_ptr<rms::AgentProcess> process;
    std::shared_ptr<wire::Channel> control, stream;
    std::optional<wire::AgentHello> hello;
    Clock::time_point started = Clock::now();
    Clock::time_point heard = Clock::now();
    Clock::duration patience;  // until it has connected
    bool control_goodbye = false, stream_goodbye = false;
    bool forgotten = false;
    std::optional<Clock::time_point> left;  ///< said goodbye; its process is waited for
};

namespace {

// A remote shell that stays longer - for what else it serves - says nothing about the host.
constexpr auto exit_within = std::chrono::seconds(2);
constexpr auto sweep_limit = std::chrono::seconds(10);

}  // namespace

AgentPool::AgentPool(asio::io_context& io, std::string job, rms::ResourceManager& rms,
                     AgentTimes times, AgentEvents events, const std::optional<Seat>& seat)
    : io_(io),
      job_(std::move(job)),
      rms_(rms),
      times_(times),
      events_(std::move(events)),
      secret_(seat ? seat->secret : wire::make_secret()),
      timer_(io),
      watched_(Clock::now()) {
    server_ = std::make_unique<wire::ChannelServer>(
        io_, rms_.bind_address(), seat ? seat->port : 0,
        [this](const wire::Identity& identity) { return admit(identity); },
        [this](std::shared_ptr<wire::Channel> channel, const wire::Identity& identity) {
            accepted(std::move(channel), identity);
        });
    watch();
}

AgentPool::~AgentPool() {
    for (auto& [host, agent] : agents_) {
        agent->forgotten = true;
        if (agent->control) agent->control->fail("the broker ends");
        if (agent->stream) agent->stream->fail("the broker ends");
        if (agent->process && !agent->hello) agent->process->kill();
    }
}

void AgentPool::start(HostIndex host, const std::string& name,
                      const std::vector<wire::StartRun>& runs) {
    auto agent = std::make_shared<Agent>();
    agent->host = host;
    agent->name = name;
    agent->generation = Generation{++generations_};
    agent->patience = times_.up;
    agents_[host] = agent;
    const auto lost_unless_connected = [this, weak = std::weak_ptr(agent)](const std::string& why) {
        const auto alive = weak.lock();
        if (!alive || alive->forgotten) return;
        if (alive->left) return gone(alive);
        // Once it is connected the connection speaks for it (a remote shell may end before or
        // after).
        if (alive->control || alive->control_goodbye) return;
        lost(alive, why);
    };
    if (const auto why = events_.on_start())
        return asio::post(io_, [lost_unless_connected, why = *why] {
            lost_unless_connected("its agent could not be started: " + why);
        });
    try {
        agent->process = rms_.start_agent(
            io_, name, {rms::companion("agent")}, bootstrap(*agent, runs),
            [lost_unless_connected](int code, const std::string& text) {
                lost_unless_connected("its agent ended before it connected (exit code " +
                                      std::to_string(code) + ")" +
                                      (text.empty() ? "" : ": " + text));
            });
    } catch (const Error& error) {
        // As news like any other: the caller is in the middle of starting others.
        asio::post(io_, [lost_unless_connected, why = std::string(error.what())] {
            lost_unless_connected("its agent could not be started: " + why);
        });
    }
}

void AgentPool::expect(HostIndex host, const std::string& name, Generation generation) {
    auto agent = std::make_shared<Agent>();
    agent->host = host;
    agent->name = name;
    agent->generation = generation;
    agent->patience = times_.back();
    agents_[host] = agent;
    generations_ = std::max(generations_, generation.value);
}

Generation AgentPool::generation(HostIndex host) const {
    return agents_.at(host)->generation;
}

std::string AgentPool::bootstrap(const Agent& agent,
                                 const std::vector<wire::StartRun>& runs) const {
    wire::Json starts = wire::Json::array();
    for (const auto& run : runs) starts.push_back(wire::encode(wire::ToAgent{run}));
    return wire::to_line({{"job", job_},
                          {"host", agent.host.value},
                          {"host_name", agent.name},
                          {"generation", agent.generation.value},
                          {"secret", wire::to_hex(secret_)},
                          {"addresses", rms_.broker_addresses()},
                          {"port", server_->port()},
                          {"logical", rms_.logical()},
                          {"welcome", wire::encode(wire::ToAgent{welcome_})},
                          {"runs", std::move(starts)}});
}

std::optional<wire::Admission> AgentPool::admit(const wire::Identity& identity) const {
    if (identity.job != job_) return std::nullopt;
    const auto it = agents_.find(identity.host);
    if (it == agents_.end() || it->second->generation != identity.generation) {
        const bool never_given = identity.generation.value > generations_;
        if (never_given && events_.on_unknown(identity.host)) return std::nullopt;
        return wire::Admission{secret_, "this agent's host is no longer part of job " + job_};
    }
    return wire::Admission{secret_, {}};
}

void AgentPool::accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& identity) {
    const auto it = agents_.find(identity.host);
    if (it == agents_.end() || it->second->generation != identity.generation) {
        channel->fail("an agent of an earlier generation");
        return;
    }
    if (identity.stream)
        accept_stream(it->second, std::move(channel));
    else
        accept_control(it->second, std::move(channel));
}

void AgentPool::accept_control(const std::shared_ptr<Agent>& agent,
                               std::shared_ptr<wire::Channel> channel) {
    if (agent->control) agent->control->fail("replaced by a new connection");
    agent->control = channel;
    agent->heard = Clock::now();
    channel->on_message = [this, agent](const wire::Json& json) { heard(agent, json); };
    channel->on_closed = [this, agent, self = channel.get()](const std::string& why, wire::Ending) {
        if (agent->control.get() != self) return;
        agent->control.reset();
        if (agent->control_goodbye)
            gone(agent);
        else
            lost(agent, "the connection to its agent has ended (" + why + ")");
    };
    channel->start();
}

void AgentPool::heard(const std::shared_ptr<Agent>& agent, const wire::Json& json) {
    if (agent->forgotten) return;
    const auto message = wire::decode<wire::FromAgent>(json);
    agent->heard = Clock::now();
    if (const auto* hello = std::get_if<wire::AgentHello>(&message)) {
        const bool first = !agent->hello;
        agent->hello = *hello;
        if (first) events_.on_up(agent->host);
    } else if (std::holds_alternative<wire::AgentGoodbye>(message)) {
        agent->control_goodbye = true;
    } else if (!std::holds_alternative<wire::Beat>(message)) {
        events_.on_message(agent->host, message);
    }
}

void AgentPool::accept_stream(const std::shared_ptr<Agent>& agent,
                              std::shared_ptr<wire::Channel> channel) {
    if (agent->stream) agent->stream->fail("replaced by a new connection");
    agent->stream = channel;
    channel->on_message = [this, agent](const wire::Json& json) {
        const auto message = wire::decode<wire::FromStream>(json);
        if (const auto* output = std::get_if<wire::Output>(&message))
            events_.on_output(agent->host, *output);
        else if (std::holds_alternative<wire::AgentGoodbye>(message))
            agent->stream_goodbye = true;
    };
    channel->on_closed = [this, agent, self = channel.get()](const std::string&, wire::Ending) {
        if (agent->stream.get() != self) return;
        agent->stream.reset();
        if (agent->control_goodbye && !agent->control) gone(agent);
    };
    if (output_paused_) channel->pause_reading();
    channel->start();
}

// Gone means: both connections are over, so all output has been taken, and so is its process: the
// host is free.
void AgentPool::gone(const std::shared_ptr<Agent>& agent) {
    if (agent->forgotten || agent->control || agent->stream) return;
    if (agent->process && !agent->process->ended()) {
        if (!agent->left) agent->left = Clock::now();
        if (Clock::now() - *agent->left < exit_within) return;
    }
    agent->forgotten = true;
    left_.add(std::move(agent->process));
    agents_.erase(agent->host);
    events_.on_gone(agent->host);
}

void AgentPool::lost(const std::shared_ptr<Agent>& agent, const std::string& why) {
    if (agent->forgotten) return;
    drop(agent->host);
    events_.on_lost(agent->host, why);
}

void AgentPool::drop(HostIndex host) {
    const auto it = agents_.find(host);
    if (it == agents_.end()) return;
    const auto agent = it->second;
    agent->forgotten = true;
    agents_.erase(it);
    if (agent->control) agent->control->fail("dropped");
    if (agent->stream) agent->stream->fail("dropped");
    if (agent->process && !agent->hello) agent->process->kill();
    left_.add(std::move(agent->process));
    sweep(*agent);
}

void AgentPool::give_up_on_absent(const std::string& why) {
    std::vector<std::shared_ptr<Agent>> absent;
    for (const auto& [host, agent] : agents_)
        if (!agent->control && !agent->control_goodbye) absent.push_back(agent);
    for (const auto& agent : absent) {
        if (agent->process) agent->process->kill();
        agent->forgotten = true;
        agents_.erase(agent->host);
        events_.on_lost(agent->host, why);
    }
}

// An agent that was killed has left its ranks to their ties; what escaped those is found by its
// marker. On a host that is down this fails, or takes too long.
void AgentPool::sweep(const Agent& agent) {
    const std::string marker = job_ + "." + std::to_string(agent.host.value) + "." +
                               std::to_string(agent.generation.value);
    const auto swept = [this, host = agent.host] { events_.on_swept(host); };
    try {
        left_.add(rms_.start_agent(io_, agent.name, {rms::companion("agent"), "--sweep", marker},
                                   "", [swept](int, const std::string&) { swept(); }),
                  Clock::now() + sweep_limit);
    } catch (const Error&) {
        asio::post(io_, swept);
    }
}

bool AgentPool::is_up(HostIndex host) const {
    const auto it = agents_.find(host);
    return it != agents_.end() && it->second->control && it->second->hello;
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
    if (it != agents_.end() && it->second->control) it->second->control->send(message);
}

void AgentPool::send_to_all(const wire::ToAgent& message) {
    for (const auto& [host, agent] : agents_)
        if (agent->control) agent->control->send(message);
}

void AgentPool::send_input(HostIndex host, const std::string& data) {
    const auto it = agents_.find(host);
    if (it != agents_.end() && it->second->stream)
        it->second->stream->send(wire::ToStream{wire::Input{data}});
}

std::size_t AgentPool::input_queued(HostIndex host) const {
    const auto it = agents_.find(host);
    if (it == agents_.end() || !it->second->stream) return SIZE_MAX;  // not yet
    return it->second->stream->queued_bytes();
}

void AgentPool::pause_output(bool paused) {
    if (output_paused_ == paused) return;
    output_paused_ = paused;
    for (const auto& [host, agent] : agents_) {
        if (!agent->stream) continue;
        if (paused)
            agent->stream->pause_reading();
        else
            agent->stream->resume_reading();
    }
}

void AgentPool::finish(HostIndex host) {
    send(host, wire::FinishAgent{});
}

void AgentPool::watch() {
    timer_.expires_after(times_.beat);
    timer_.async_wait([this](const std::error_code& error) {
        if (error) return;
        const auto now = Clock::now();
        // A broker that was stopped itself has heard nobody; that says nothing about them.
        const bool jumped = now - watched_ > 2 * times_.beat + std::chrono::seconds(1);
        watched_ = now;
        std::vector<std::pair<std::shared_ptr<Agent>, std::string>> silent;
        std::vector<std::shared_ptr<Agent>> left;
        for (const auto& [host, agent] : agents_) {
            if (jumped) agent->heard = agent->started = now;
            if (agent->left) left.push_back(agent);
            if (agent->control) {
                agent->control->send(wire::ToAgent{wire::Beat{}});
                if (now - agent->heard > times_.beat_limit)
                    silent.emplace_back(
                        agent, "its agent has been silent for " +
                                   std::to_string(times_.beat_limit.count() / 1000) + " s");
            } else if (!agent->control_goodbye && now - agent->started > agent->patience) {
                const auto seconds =
                    std::chrono::duration_cast<std::chrono::seconds>(agent->patience).count();
                silent.emplace_back(
                    agent, "its agent did not connect within " + std::to_string(seconds) + " s");
            }
        }
        for (const auto& [agent, why] : silent) lost(agent, why);
        for (const auto& agent : left) gone(agent);
        left_.check(now);
        watch();
    });
}

}  // namespace ductile::broker
