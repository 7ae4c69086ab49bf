// Starts and ends the ranks of this host, and exchanges messages with them.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent_context.hpp"
#include "agent/bootstrap.hpp"
#include "agent/hosted_groups.hpp"
#include "agent/local_server.hpp"
#include "agent/pmi_environment.hpp"
#include "agent/pmi_port.hpp"
#include "agent/runtime_directory.hpp"
#include "agent/served_group.hpp"
#include "agent/stale_file_service.hpp"

namespace ductile::agent {

class RankHost {
  public:
    struct Events {
        std::function<void(const wire::FromAgent&)> tell;  ///< sends a message to the broker
        std::function<void()> on_change;                   ///< something may have ended
        std::function<void(const std::string&)> log;
    };
    /// `services`: services beside those of RankHost itself.
    RankHost(asio::io_context& io, const Bootstrap& bootstrap, Input& input, HostServices services,
             const Events& events);

    void set_welcome(const wire::AgentWelcome& welcome) { welcome_ = welcome; }
    [[nodiscard]] const std::optional<wire::AgentWelcome>& welcome() const { return welcome_; }
    [[nodiscard]] const HostedGroups& groups() const { return groups_; }

    /// Starts a group. Refuses it while the agent ends.
    void start(const wire::StartRun& what, bool agent_is_ending);
    void on(const wire::StartProxy& what);
    void on(const wire::ProxyEnded& what);
    void on(const wire::StartRanks& what);
    void on(const wire::KillRun& what);
    void on(const wire::ToRanks& what);
    void on(const wire::RunAbortConnector& what);
    void on(const wire::RanksLeave& what);
    void on(const wire::GiveInput& what);
    void on(const wire::SignalRanks& what);
    /// Sends a signal to all processes of all groups here, and not only to process groups of ranks.
    void signal_all(int number);
    /// Passes an answer of the broker to the PMI-1 service of the group.
    template <class Answer>
    void on(const Answer& what) {
        if (const auto run = groups_.find<ServedGroup>(what.group)) run->pmi().on(what);
    }

    /// `on`: whether the broker is gone (BrokerState::gone).
    void set_brokerless(bool on);
    /// Reports the state of this host to a broker that has taken the job over.
    void tell_inventory(core::TransactionId committed);
    /// Permits the exit of the parked ranks, if no active rank is left on this host.
    void wake_parked() { groups_.wake_parked(); }
    /// Reaps all children: ranks, launchers, abort connectors, and orphans that this process has
    /// inherited. No other place reaps children.
    void reap();
    void kill_all() { groups_.kill_all(); }
    /// Closes the socket and the port: ranks cannot connect any more.
    void close() {
        server_.close();
        pmi_port_.close();
    }

  private:
    void adopt(const std::shared_ptr<LocalPeer>& peer, const wire::Message& encoded,
               std::vector<wire::Fd> descriptors);
    [[nodiscard]] std::string why_not_start(const wire::StartRun& what, bool agent_is_ending) const;
    [[nodiscard]] std::shared_ptr<GroupRun> started(const wire::StartRun& what);

    std::function<void()> on_change_;
    RuntimeDirectory directory_;
    StaleFileService stale_files_;
    PmiEnvironment pmi_;
    PmiPort pmi_port_;
    const AgentContext context_;
    LocalServer server_;
    std::optional<wire::AgentWelcome> welcome_;
    HostedGroups groups_;
};

}  // namespace ductile::agent
