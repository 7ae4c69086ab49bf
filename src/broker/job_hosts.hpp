// The hosts of a job: those that the resource manager has granted, and the agents on them.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/agent_pool.hpp"
#include "broker/host_table.hpp"
#include "broker/wall_alarm.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::broker {

/// What the job hears of its hosts, besides what their agents say. All come from the event loop.
struct HostNews {
    std::function<void(const HostsReady&)> on_ready;
    std::function<void(const HostsDenied&)> on_denied;
    std::function<void(const HostMustGo&)> on_must_go;
    std::function<void(const std::string&)> notify_user;
    /// The table is about to be acted on: journal it. An answer is the reason why that failed.
    std::function<std::optional<std::string>(const std::string& step)> journal;
};

/// Where a broker that takes a job over has to go on.
struct HostsTakenOver {
    BrokerEndpoint endpoint;
    HostTableState table;
};

/// Keeps the host table, and does what it says: the only part that speaks to the resource manager.
class JobHosts {
  public:
    /// `events`: as AgentPool's, but for on_lost, which tells of all hosts that are lost, and
    /// on_swept, which is not called.
    JobHosts(asio::io_context& io, const std::string& job, const wire::AgentWelcome& welcome,
             std::unique_ptr<rms::ResourceManager> rms, AgentEvents events, HostNews news,
             const std::optional<HostsTakenOver>& taken_over);

    [[nodiscard]] AgentPool& agents() { return agents_; }
    [[nodiscard]] const AgentPool& agents() const { return agents_; }
    [[nodiscard]] const HostTable& table() const { return table_; }

    [[nodiscard]] const core::Host& at(HostIndex host) const {
        return table_.state().hosts.at(static_cast<std::size_t>(host.value)).host;
    }
    [[nodiscard]] std::string name(HostIndex host) const { return at(host).name; }
    /// For people: what granted them.
    [[nodiscard]] std::string describe() const { return rms_->describe(); }
    /// Several of them are one machine.
    [[nodiscard]] bool logical() const { return rms_->logical(); }
    /// More can be had, and what is not needed is given back.
    [[nodiscard]] bool come_and_go() const { return rms_->takes_back(); }
    /// This broker itself runs there, on a host of its own.
    [[nodiscard]] bool is_self(HostIndex host) const;

    /// Asks for hosts: on_ready or on_denied follows, once. An answer is the reason why they were
    /// not asked for: the journal cannot be written.
    [[nodiscard]] std::optional<std::string> ask(const HostNeed& need);
    void withdraw(core::TransactionId wanted_by) { apply(HostsWithdrawn{wanted_by}); }
    /// Gives hosts back that have no agent and that are not needed.
    void give_back_idle(const std::function<bool(HostIndex)>& is_needed);
    /// This broker has taken the job over.
    void taken_over() { apply(TakenOver{}); }
    /// The job is ending: hosts are given back as their agents go.
    void end();

    /// Starts an agent on a host of the job's that has none. on_lost follows where that fails.
    void start(HostIndex host, const std::vector<wire::StartRun>& runs);
    /// The host is free when its agent, which is told to end, has gone. One that has not within
    /// 15 s is lost.
    void finish(HostIndex host);
    [[nodiscard]] bool any_finishing() const { return !finishing_.empty(); }
    void send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message);
    /// Agents that lose their broker ask the one on this host.
    void announce_coordinator(HostIndex host, const std::vector<HostIndex>& members);

  private:
    AgentEvents pool_events();
    void apply(const HostEvent& event);
    void carry_out(const HostEffect& effect);
    void lose(const HostLost& lost);
    void on_agent_lost(HostIndex host, const std::string& why);

    asio::io_context& io_;
    AgentEvents events_;
    HostNews news_;
    std::unique_ptr<rms::ResourceManager> rms_;
    HostTable table_;
    AgentPool agents_;
    std::map<HostIndex, asio::steady_timer> finishing_;  ///< until when
    WallAlarm alarm_;
};

}  // namespace ductile::broker
