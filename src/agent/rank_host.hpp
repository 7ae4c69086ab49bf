// What an agent does with the ranks of its host: starts and ends them, and speaks with them.
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
#include "agent/runtime_directory.hpp"
#include "agent/served_group.hpp"
#include "agent/stale_file_service.hpp"

namespace ductile::agent {

class RankHost {
  public:
    struct Events {
        std::function<void(const wire::FromAgent&)> tell;  ///< the broker is told
        std::function<void()> on_change;                   ///< something may have ended
        std::function<void(const std::string&)> log;
    };
    /// `services`: those beside its own.
    RankHost(asio::io_context& io, const Bootstrap& bootstrap, Input& input, HostServices services,
             const Events& events);

    void set_welcome(const wire::AgentWelcome& welcome) { welcome_ = welcome; }
    [[nodiscard]] const std::optional<wire::AgentWelcome>& welcome() const { return welcome_; }
    [[nodiscard]] const HostedGroups& groups() const { return groups_; }

    /// Refused while the agent ends.
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
    /// Answers by PMI-1.
    template <class Answer>
    void on(const Answer& what) {
        if (const auto run = groups_.find<ServedGroup>(what.group)) run->pmi().on(what);
    }

    /// The broker is gone, or is not.
    void set_brokerless(bool on);
    /// A broker that has taken the job over hears how it stands here.
    void tell_inventory(core::TransactionId committed);
    /// Parked ranks sleep beside others. With none of these left they are to leave.
    void wake_parked() { groups_.wake_parked(); }
    /// The only place where children are reaped: ranks, launchers, abort connectors, and orphans
    /// that came to this process.
    void reap();
    void kill_all() { groups_.kill_all(); }
    /// Ranks can connect no more.
    void close() { server_.close(); }

  private:
    void adopt(const std::shared_ptr<LocalPeer>& peer, const wire::Message& encoded,
               std::vector<wire::Fd> descriptors);
    [[nodiscard]] std::string why_not_start(const wire::StartRun& what, bool agent_is_ending) const;
    [[nodiscard]] std::shared_ptr<GroupRun> started(const wire::StartRun& what);

    std::function<void()> on_change_;
    RuntimeDirectory directory_;
    StaleFileService stale_files_;
    const AgentContext context_;
    LocalServer server_;
    std::optional<wire::AgentWelcome> welcome_;
    HostedGroups groups_;
};

}  // namespace ductile::agent
