// The agents of a job: starts them, exchanges messages with them, and detects their loss.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "os/job_timer.hpp"

#include "broker/agent_starter.hpp"
#include "broker/pause_watch.hpp"
#include "broker/remote_agent.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::broker {

/// What the pool tells its owner. The event loop makes all calls, with two exceptions: start()
/// calls on_start, and give_up_on_absent() calls on_lost.
struct AgentEvents {
    std::function<void(HostIndex, const wire::FromAgent&)> on_message;
    /// The agent is connected. It receives all messages that are sent from now on.
    std::function<void(HostIndex)> on_up;
    /// The agent did not come up, fell silent, or its connection ended without a goodbye. The pool
    /// refuses its connections from now on.
    std::function<void(HostIndex, const std::string& why)> on_lost;
    /// The agent has ended normally. No process of the job is left on the host.
    std::function<void(HostIndex)> on_gone;
    /// The clean-up of this host after a lost or dropped agent is over. Perhaps it has failed.
    std::function<void(HostIndex)> on_swept;
    std::function<void(HostIndex, const wire::Output&)> on_output;
    /// The connection to this host has room for more standard input of its ranks.
    std::function<void(HostIndex)> on_input_room;
    /// Called before an agent is started. If it returns a reason, the agent is not started, and
    /// on_lost follows.
    std::function<std::optional<std::string>()> on_start;
    /// An agent connects whose generation is higher than any that this broker knows: another broker
    /// of this job has started the agent. True: the pool refuses the connection, and the agent
    /// continues. False: the pool tells the agent to end.
    std::function<bool(HostIndex)> on_unknown;
};

class AgentPool {
  public:
    /// `endpoint`: the endpoint of the former broker in a takeover; none: the pool makes a new one.
    /// Throws SystemError if its port is in use.
    AgentPool(asio::io_context& io, std::string job, rms::ResourceManager& rms, AgentTimes times,
              AgentEvents events, const std::optional<BrokerEndpoint>& endpoint, AgentSetup setup);
    /// Kills the processes that start agents (remote shells, for example), except those of agents
    /// that have said hello. Ends the processes that nobody waits for (LeftProcesses). The agents
    /// that have said hello continue.
    ~AgentPool();
    AgentPool(const AgentPool&) = delete;
    AgentPool& operator=(const AgentPool&) = delete;

    /// Starts an agent on a host that has none. `name`: the name of the host. The bootstrap of the
    /// agent contains `runs`, so they start while the agent connects.
    void start(HostIndex host, const std::string& name, const std::vector<wire::StartRun>& runs);
    /// Expects an agent that another broker started. It must connect within AgentTimes::back().
    void expect(HostIndex host, const std::string& name, Generation generation, bool is_needed);
    /// `generations`: the last generation that any former broker of this job has assigned.
    void continue_from(int generations) { generations_ = std::max(generations_, generations); }
    [[nodiscard]] int generations() const { return generations_; }
    [[nodiscard]] BrokerEndpoint endpoint() const { return {secret_, server_->port()}; }
    [[nodiscard]] Generation generation(HostIndex host) const;
    [[nodiscard]] bool has(HostIndex host) const { return agents_.contains(host); }
    [[nodiscard]] bool is_up(HostIndex host) const;
    [[nodiscard]] std::vector<HostIndex> hosts() const;
    [[nodiscard]] const wire::AgentHello* hello(HostIndex host) const;

    /// Does nothing if the host has no connected agent. After wire::FinishAgent the agent ends when
    /// its runs have ended, and on_gone follows.
    void send(HostIndex host, const wire::ToAgent& message);
    void send_to_all(const wire::ToAgent& message);
    /// Whether an agent is being started, or is expected to connect again.
    [[nodiscard]] bool is_any_absent() const;
    /// Whether messages to agents wait to be sent.
    [[nodiscard]] bool has_unsent() const;
    /// Sends standard input for a rank of this host.
    void send_input(HostIndex host, const std::string& data);
    /// The bytes of input that wait to be sent to this host. SIZE_MAX if the host has no connection
    /// for input now.
    [[nodiscard]] std::size_t input_queued(HostIndex host) const;
    void pause_output(bool paused);

    /// Gives up the agents that have not connected, and kills the processes that start them (remote
    /// shells, for example). Calls on_lost for each of these agents.
    void give_up_on_absent(const std::string& why);
    /// Forgets an agent: the pool ignores its messages, and cleans up its host. on_swept follows.
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
    os::JobTimer timer_;
    PauseWatch pauses_;
    std::unique_ptr<wire::ChannelServer> server_;
};

}  // namespace ductile::broker
