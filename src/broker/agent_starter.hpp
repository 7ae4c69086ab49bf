// The processes that a broker runs for its agents: agents on this machine, remote shells, sweeps.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/left_processes.hpp"
#include "core/partial_lines.hpp"
#include "os/job_clock.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

using core::Generation;
using core::HostIndex;

/// The port where the agents of a job find its broker, and the secret that authenticates it.
struct BrokerEndpoint {
    wire::Secret secret;
    int port = 0;
};

/// What is the same for all agents of a job. A part of each agent's bootstrap.
struct AgentSetup {
    wire::AgentWelcome welcome;
    core::PartialLines partial;  ///< of the ranks' output
};

class AgentStarter {
  public:
    /// Identifies one agent.
    struct Who {
        HostIndex host;
        std::string name;  ///< of the host
        Generation generation;
    };

    AgentStarter(asio::io_context& io, std::string job, rms::ResourceManager& rms,
                 AgentSetup setup);

    /// Starts an agent. The bootstrap of the agent contains `runs`, so they start while the agent
    /// connects. Throws SystemError if the start fails.
    [[nodiscard]] std::unique_ptr<rms::AgentProcess> start(const Who& who,
                                                           const BrokerEndpoint& endpoint,
                                                           const std::vector<wire::StartRun>& runs,
                                                           rms::AgentProcess::OnExit on_exit);
    /// Cleans up the host after a lost agent. The event loop calls `on_swept`, also on failure.
    void sweep(const Who& who, const std::function<void()>& on_swept);
    /// Nobody waits for this process any more. `process` may be null.
    void leave(std::unique_ptr<rms::AgentProcess> process) { left_.add(std::move(process)); }
    void check(os::JobClock::time_point now) { left_.check(now); }

  private:
    [[nodiscard]] std::string bootstrap(const Who& who, const BrokerEndpoint& endpoint,
                                        const std::vector<wire::StartRun>& runs) const;

    asio::io_context& io_;
    std::string job_;
    rms::ResourceManager& rms_;
    AgentSetup setup_;
    LeftProcesses left_;
};

}  // namespace ductile::broker
