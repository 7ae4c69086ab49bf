// The processes that a broker runs for its agents: starts, remote shells, sweeps.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/left_processes.hpp"
#include "rms/resource_manager.hpp"
#include "wire/agent_messages.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

using core::Generation;
using core::HostIndex;

/// Where a job's agents find its broker, and by what they know it.
struct BrokerEndpoint {
    wire::Secret secret;
    int port = 0;
};

class AgentStarter {
  public:
    /// Of one agent.
    struct Who {
        HostIndex host;
        std::string name;  ///< the host's
        Generation generation;
    };

    /// `welcome`: what every agent gets before anything else.
    AgentStarter(asio::io_context& io, std::string job, rms::ResourceManager& rms,
                 wire::AgentWelcome welcome);

    /// `runs` are in its bootstrap, so that they start while it connects. Throws SystemError.
    [[nodiscard]] std::unique_ptr<rms::AgentProcess> start(const Who& who,
                                                           const BrokerEndpoint& endpoint,
                                                           const std::vector<wire::StartRun>& runs,
                                                           rms::AgentProcess::OnExit on_exit);
    /// `on_swept` follows from the event loop, also where that could not be done.
    void sweep(const Who& who, const std::function<void()>& on_swept);
    /// Nobody waits for it any more; it may be none.
    void leave(std::unique_ptr<rms::AgentProcess> process) { left_.add(std::move(process)); }
    void check(std::chrono::steady_clock::time_point now) { left_.check(now); }

  private:
    [[nodiscard]] std::string bootstrap(const Who& who, const BrokerEndpoint& endpoint,
                                        const std::vector<wire::StartRun>& runs) const;

    asio::io_context& io_;
    std::string job_;
    rms::ResourceManager& rms_;
    wire::AgentWelcome welcome_;
    LeftProcesses left_;
};

}  // namespace ductile::broker
