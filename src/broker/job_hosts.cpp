#include "broker/job_hosts.hpp"

#include "rms/self.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto agent_up_within = 15s;
constexpr auto agent_end_within = 15s;

std::chrono::milliseconds ms(double seconds) {
    return std::chrono::milliseconds(static_cast<int>(seconds * 1000));
}

}  // namespace

JobHosts::JobHosts(asio::io_context& io, const std::string& job, const wire::AgentWelcome& welcome,
                   std::unique_ptr<rms::ResourceManager> rms, AgentEvents events,
                   const std::optional<Seat>& seat)
    : rms_(std::move(rms)),
      agents_(io, job, *rms_, {agent_up_within, ms(welcome.beat_s), ms(welcome.beat_limit_s)},
              std::move(events), seat) {
    agents_.set_welcome(welcome);
}

core::Allocation JobHosts::living() const {
    auto living = allocation();
    for (const auto host : lost_) living.hosts[static_cast<std::size_t>(host.value)].slots = 0;
    return living;
}

bool JobHosts::is_self(HostIndex host) const {
    const auto* hello = agents_.hello(host);
    return !logical() && hello != nullptr && hello->host_name == rms::host_name();
}

void JobHosts::finish(HostIndex host) {
    if (finishing_.try_emplace(host, Clock::now()).second) agents_.finish(host);
}

std::vector<HostIndex> JobHosts::drop_late() {
    std::vector<HostIndex> late;
    for (const auto& [host, since] : finishing_)
        if (Clock::now() - since > agent_end_within) late.push_back(host);
    for (const auto host : late) agents_.drop(host);
    return late;
}

void JobHosts::lost(HostIndex host) {
    finishing_.erase(host);
    lost_.insert(host);
}

}  // namespace ductile::broker
