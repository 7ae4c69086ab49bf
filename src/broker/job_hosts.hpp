// The hosts of a job: the hosts that the resource manager has granted, and the agents on them.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "os/job_timer.hpp"

#include "broker/agent_pool.hpp"
#include "broker/host_table.hpp"
#include "broker/wall_alarm.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::broker {

/// Callbacks about hosts, beside the messages of their agents. The event loop and the
/// functions of JobHosts make the calls.
struct HostCallbacks {
    std::function<void(const HostsReady&)> on_ready;
    std::function<void(const HostsDenied&)> on_denied;
    std::function<void(const HostMustGo&)> on_must_go;
    std::function<void(const std::string&)> notify_user;
    /// Writes the changed table to the journal, before the effects of the change are carried out.
    /// Returns the reason if this fails.
    std::function<std::optional<std::string>(const std::string& step)> journal;
};

/// What a broker that takes a job over needs to continue.
struct HostsTakenOver {
    BrokerEndpoint endpoint;
    HostTableState table;
};

/// Keeps the host table and carries out its effects. Only this part calls the resource manager.
class JobHosts {
  public:
    /// `events`: the same as for AgentPool, with two exceptions. on_lost reports every lost host,
    /// and on_swept is not called.
    JobHosts(asio::io_context& io, const std::string& job, const AgentSetup& setup,
             std::unique_ptr<rms::ResourceManager> rms, AgentEvents events, HostCallbacks callbacks,
             const std::optional<HostsTakenOver>& taken_over);

    [[nodiscard]] AgentPool& agents() { return agents_; }
    [[nodiscard]] const AgentPool& agents() const { return agents_; }
    [[nodiscard]] const HostTable& table() const { return table_; }

    [[nodiscard]] const core::Host& at(HostIndex host) const {
        return table_.state().hosts.at(static_cast<std::size_t>(host.value)).host;
    }
    [[nodiscard]] std::string name(HostIndex host) const { return at(host).name; }
    /// For people: the resource manager that granted the hosts.
    [[nodiscard]] std::string describe() const { return rms_->describe(); }
    /// The hosts are logical hosts: several of them are on one machine.
    [[nodiscard]] bool logical() const { return rms_->logical(); }
    /// The job can get more hosts, and gives back hosts that it does not need.
    [[nodiscard]] bool come_and_go() const { return rms_->takes_back(); }
    [[nodiscard]] rms::Cluster& cluster() { return *rms_; }

    /// Requests hosts. One call of on_ready or on_denied follows, unless the request is withdrawn
    /// or the job ends before. If the journal cannot be written, nothing is requested, and the
    /// return value is the reason.
    [[nodiscard]] std::optional<std::string> ask(const HostNeed& need);
    void withdraw(core::TransactionId wanted_by) { apply(HostsWithdrawn{wanted_by}); }
    /// Gives back the hosts that have no agent and that are not needed.
    void give_back_idle(const std::function<bool(HostIndex)>& is_needed);
    /// This broker has taken the job over. In a takeover, no host is requested or given back before
    /// this call. `lost`: see TakenOver.
    void taken_over(const std::set<HostIndex>& lost);
    /// The job is ending: if hosts come and go, each host is given back as soon as no process of
    /// the job is on it.
    void end();

    /// Starts an agent on a host of the job that has no agent. If this fails, on_lost follows.
    void start(HostIndex host, const std::vector<wire::StartRun>& runs);
    /// Tells the agent of this host to end. The host is free when the agent has gone. If the agent
    /// has not gone within 15 s, the host is lost.
    void finish(HostIndex host);
    [[nodiscard]] bool any_finishing() const { return !finishing_.empty(); }
    void send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message);
    /// Sends a signal to the process groups of these ranks.
    void signal(const std::vector<core::RankRange>& ranks, int number);
    /// Names the coordinator. Agents that lose their broker connect to the agent of this host.
    void announce_coordinator(HostIndex host, const std::vector<HostIndex>& members);

  private:
    AgentEvents pool_events();
    void apply(const HostEvent& event);
    void carry_out(const HostEffect& effect);
    void lose(const HostLost& lost);
    void on_agent_lost(HostIndex host, const std::string& why);

    asio::io_context& io_;
    AgentEvents events_;
    HostCallbacks callbacks_;
    std::unique_ptr<rms::ResourceManager> rms_;
    HostTable table_;
    AgentPool agents_;
    std::map<HostIndex, os::JobTimer> finishing_;  ///< until the host counts as lost
    WallAlarm alarm_;
};

/// Whether this broker runs on this host. False for logical hosts.
[[nodiscard]] bool is_self(HostIndex host, const JobHosts& hosts);

}  // namespace ductile::broker
