#include "broker/agent_starter.hpp"

#include <asio/post.hpp>
#include <utility>

#include "rms/self.hpp"

namespace ductile::broker {

namespace {

constexpr auto sweep_limit = std::chrono::seconds(10);

}  // namespace

AgentStarter::AgentStarter(asio::io_context& io, std::string job, rms::ResourceManager& rms,
                           AgentSetup setup)
    : io_(io), job_(std::move(job)), rms_(rms), setup_(std::move(setup)) {}

std::unique_ptr<rms::AgentProcess> AgentStarter::start(const Who& who,
                                                       const BrokerEndpoint& endpoint,
                                                       const std::vector<wire::StartRun>& runs,
                                                       rms::AgentProcess::OnExit on_exit) {
    return rms_.start_agent(io_, who.name, {rms::companion("agent")},
                            bootstrap(who, endpoint, runs), std::move(on_exit));
}

// When an agent is killed, its ranks normally end with it. The sweep kills the processes that
// still run: it finds them by the agent's marker. If the host is down, the sweep fails or takes too
// long.
void AgentStarter::sweep(const Who& who, const std::function<void()>& on_swept) {
    const std::string marker =
        job_ + "." + std::to_string(who.host.value) + "." + std::to_string(who.generation.value);
    try {
        left_.add(rms_.start_agent(io_, who.name, {rms::companion("agent"), "--sweep", marker}, "",
                                   [on_swept](int, const std::string&) { on_swept(); }),
                  os::JobClock::now() + sweep_limit);
    } catch (const Error&) {
        asio::post(io_, on_swept);
    }
}

}  // namespace ductile::broker
