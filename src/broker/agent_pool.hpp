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

#include "broker/left_processes.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::broker {

using core::Generation;
using core::HostIndex;

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
    /// An agent is about to be started. An answer is the reason why it may not be.
    std::function<std::optional<std::string>()> on_start;
    /// An agent of the job that nobody here has started or expects. True: it is left alone, rather
    /// than told to end.
    std::function<bool(HostIndex)> on_unknown;
};

/// Where a job's agents find its broker, and by what they know it.
struct Seat {
    wire::Secret secret;
    int port = 0;
};

struct AgentTimes {
    std::chrono::milliseconds up{15000};  ///< from its start to its hello
    std::chrono::milliseconds beat{1000};
    std::chrono::milliseconds beat_limit{5000};
    /// For one that has lost its broker to connect to the next one: it tries about once a second.
    [[nodiscard]] std::chrono::milliseconds back() const {
        return beat_limit + std::chrono::seconds(1);
    }
};

class AgentPool {
  public:
    /// `seat`: that of the broker that is taken over from; else a new one. Throws SystemError when
    /// its port is taken.
    AgentPool(asio::io_context& io, std::string job, rms::ResourceManager& rms, AgentTimes times,
              AgentEvents events, const std::optional<Seat>& seat);
    /// Ends what it has started and what still runs here: remote shells that hang, sweeps.
    ~AgentPool();
    AgentPool(const AgentPool&) = delete;
    AgentPool& operator=(const AgentPool&) = delete;

    /// What every agent gets before anything else.
    void set_welcome(wire::AgentWelcome welcome) { welcome_ = std::move(welcome); }

    /// Starts an agent on a host that has none; `name`: the host's. `runs` are in its bootstrap, so
    /// that they start while it connects.
    void start(HostIndex host, const std::string& name, const std::vector<wire::StartRun>& runs);
    /// An agent that another broker has started is to connect within AgentTimes::back().
    void expect(HostIndex host, const std::string& name, Generation generation);
    /// The last generation that any broker of this job has given.
    void continue_from(int generations) { generations_ = std::max(generations_, generations); }
    [[nodiscard]] int generations() const { return generations_; }
    [[nodiscard]] Seat seat() const { return {secret_, server_->port()}; }
    [[nodiscard]] Generation generation(HostIndex host) const;
    [[nodiscard]] bool has(HostIndex host) const { return agents_.contains(host); }
    [[nodiscard]] bool is_up(HostIndex host) const;
    [[nodiscard]] std::vector<HostIndex> hosts() const;
    [[nodiscard]] const wire::AgentHello* hello(HostIndex host) const;

    /// Does nothing when the host has no agent that is up.
    void send(HostIndex host, const wire::ToAgent& message);
    void send_to_all(const wire::ToAgent& message);
    /// Standard input for a rank of this host.
    void send_input(HostIndex host, const std::string& data);
    [[nodiscard]] std::size_t input_queued(HostIndex host) const;
    void pause_output(bool paused);

    /// The host is to be given back: the agent ends when its runs have; on_gone follows.
    void finish(HostIndex host);
    /// Agents that have not connected are given up, with the remote shells that were to start them;
    /// on_lost follows for each.
    void give_up_on_absent(const std::string& why);
    /// Forgets an agent; nothing of it is heard any more. Its host is swept for what it left.
    void drop(HostIndex host);

  private:
    struct Agent;
    void accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& identity);
    void accept_control(const std::shared_ptr<Agent>& agent,
                        std::shared_ptr<wire::Channel> channel);
    void accept_stream(const std::shared_ptr<Agent>& agent, std::shared_ptr<wire::Channel> channel);
    std::optional<wire::Admission> admit(const wire::Identity& identity) const;
    void heard(const std::shared_ptr<Agent>& agent, const wire::Json& json);
    void lost(const std::shared_ptr<Agent>& agent, const std::string& why);
    void gone(const std::shared_ptr<Agent>& agent);
    void watch();
    void sweep(const Agent& agent);
    [[nodiscard]] std::string bootstrap(const Agent& agent,
                                        const std::vector<wire::StartRun>& runs) const;

    asio::io_context& io_;
    std::string job_;
    rms::ResourceManager& rms_;
    AgentTimes times_;
    AgentEvents events_;
    wire::Secret secret_;
    wire::AgentWelcome welcome_;
    std::map<HostIndex, std::shared_ptr<Agent>> agents_;
    LeftProcesses left_;
    int generations_ = 0;
    bool output_paused_ = false;
    asio::steady_timer timer_;
    std::chrono::steady_clock::time_point watched_;
    std::unique_ptr<wire::ChannelServer> server_;
};

}  // namespace ductile::broker
