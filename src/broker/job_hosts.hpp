// The hosts of a job: those that the resource manager has granted, and the agents on them.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/agent_pool.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::broker {

class JobHosts {
  public:
    JobHosts(asio::io_context& io, const std::string& job, const wire::AgentWelcome& welcome,
             std::unique_ptr<rms::ResourceManager> rms, AgentEvents events,
             const std::optional<Seat>& seat);

    [[nodiscard]] AgentPool& agents() { return agents_; }
    [[nodiscard]] const AgentPool& agents() const { return agents_; }

    [[nodiscard]] const core::Allocation& allocation() const { return rms_->allocation(); }
    /// The same without hosts that were lost and have not come back.
    [[nodiscard]] core::Allocation living() const;
    [[nodiscard]] std::string name(HostIndex host) const { return allocation().at(host).name; }
    /// For people: what granted them.
    [[nodiscard]] std::string describe() const { return rms_->describe(); }
    /// Several of them are one machine.
    [[nodiscard]] bool logical() const { return rms_->logical(); }
    /// This broker itself runs there, on a host of its own.
    [[nodiscard]] bool is_self(HostIndex host) const;

    /// The host is free when its agent, which is told to end, has gone.
    void finish(HostIndex host);
    [[nodiscard]] bool any_finishing() const { return !finishing_.empty(); }
    /// Agents that were told to end long ago and have not; they are dropped.
    [[nodiscard]] std::vector<HostIndex> drop_late();

    void up(HostIndex host) { lost_.erase(host); }
    void lost(HostIndex host);
    void gone(HostIndex host) { finishing_.erase(host); }

  private:
    using Clock = std::chrono::steady_clock;

    std::unique_ptr<rms::ResourceManager> rms_;
    AgentPool agents_;
    std::map<HostIndex, Clock::time_point> finishing_;  ///< since when
    std::set<HostIndex> lost_;  ///< tried again only where there are no others
};

}  // namespace ductile::broker
