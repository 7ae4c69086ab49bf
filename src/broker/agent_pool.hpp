// The job's agents: started, heard, spoken to, lost.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/agent_starter.hpp"
#include "broker/pause_watch.hpp"
#include "broker/remote_agent.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::broker {

/// What the pool tells its owner. All come from the event loop.
struct AgentEvents {
    std::function<void(HostIndex, const wire::FromAgent&)> on_message;
    /// The agent is connected and will hear what is sent from now on.
    std::function<void(HostIndex)> on_up;
    /// The agent did not come up, fell silent, or its connection ended without goodbye. It is
    /// refused from now on.
    std::function<void(HostIndex, const std::string& why)> on_lost;
    /// The agent has ended in order; nothing of the job is left on the host.
    std::function<void(HostIndex)> on_gone;
    /// What a lost agent left on the host has been cleaned up, as far as it could be.
    std::function<void(HostIndex)> on_swept;
    std::function<void(HostIndex, const wire::Output&)> on_output;
    /// Its ranks' standard input takes more.
    std::function<void(HostIndex)> on_input_room;
    /// An agent is about to be started. An answer is the reason why it may not be.
    std::function<std::optional<std::string>()> on_start;
    /// An agent of the job that nobody here has started or expects. True: it is left alone, rather
    /// than told to end.
    std::function<bool(HostIndex)> on_unknown;
};

class AgentPool {
  public:
    /// `endpoint`: that of the broker that is taken over from; else a new one. Throws SystemError
    /// when its port is taken. `welcome`: what every agent gets before anything else.
    AgentPool(asio::io_context& io, std::string job, rms::ResourceManager& rms, AgentTimes times,
              AgentEvents events, const std::optional<BrokerEndpoint>& endpoint,
              wire::AgentWelcome welcome);
    /// Ends what it has started and what still runs here: remote shells that hang, sweeps.
    ~AgentPool();
    AgentPool(const AgentPool&) = delete;
    AgentPool& operator=(const AgentPool&) = delete;

    /// Starts an agent on a host that has none; `name`: the host's. `runs` are in its bootstrap, so
    /// that they start while it connects.
    void start(HostIndex host, const std::string& name, const std::vector<wire::StartRun>& runs);
    /// An agent that another broker has started is to connect within AgentTimes::back().
    void expect(HostIndex host, const std::string& name, Generation generation, bool is_needed);
    /// The last generation that any broker of this job has given.
    void continue_from(int generations) { generations_ = std::max(generations_, generations); }
    [[nodiscard]] int generations() const { return generations_; }
    [[nodiscard]] BrokerEndpoint endpoint() const { return {secret_, server_->port()}; }
    [[nodiscard]] Generation generation(HostIndex host) const;
    [[nodiscard]] bool has(HostIndex host) const { return agents_.contains(host); }
    [[nodiscard]] bool is_up(HostIndex host) const;
    [[nodiscard]] std::vector<HostIndex> hosts() const;
    [[nodiscard]] const wire::AgentHello* hello(HostIndex host) const;

    /// Does nothing when the host has no agent that is connected. After wire::FinishAgent it ends
    /// when its runs have, and on_gone follows.
    void send(HostIndex host, const wire::ToAgent& message);
    void send_to_all(const wire::ToAgent& message);
    /// Standard input for a rank of this host.
    void send_input(HostIndex host, const std::string& data);
    [[nodiscard]] std::size_t input_queued(HostIndex host) const;
    void pause_output(bool paused);

    /// Agents that have not connected are given up, with the remote shells that were to start them;
    /// on_lost follows for each.
    void give_up_on_absent(const std::string& why);
    /// Forgets an agent; nothing of it is heard any more. Its host is swept for what it left.
    void drop(HostIndex host);

  private:
    struct Agent;
    using Agents = std::map<HostIndex, std::shared_ptr<Agent>>;

    [[nodiscard]] std::optional<wire::Admission> admit(const wire::Identity& identity) const;
    void accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& identity);
    void heard(const std::shared_ptr<Agent>& agent, const wire::Message& encoded);
    void apply(const std::shared_ptr<Agent>& agent, const agent_event::Any& event);
    void carry_out(Agent& agent, const agent_effect::Any& effect);
    void watch();

    asio::io_context& io_;
    const std::string job_;
    const AgentTimes times_;
    AgentEvents events_;
    const wire::Secret secret_;
    AgentStarter starter_;
    Agents agents_;
    int generations_ = 0;
    bool output_paused_ = false;
    asio::steady_timer timer_;
    PauseWatch pauses_;
    std::unique_ptr<wire::ChannelServer> server_;
};

}  // namespace ductile::broker
