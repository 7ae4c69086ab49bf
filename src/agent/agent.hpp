// The agent: one event loop that joins the broker's orders, the ranks' messages and the processes
// of this host.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "agent/bootstrap.hpp"
#include "agent/broker_link.hpp"
#include "agent/hosted_groups.hpp"
#include "agent/input.hpp"
#include "agent/local_server.hpp"
#include "agent/orphan_watch.hpp"
#include "agent/output.hpp"
#include "agent/peer_monitor.hpp"
#include "agent/runtime_directory.hpp"
#include "agent/stale_file_service.hpp"
#include "agent/stream_link.hpp"

namespace ductile::agent {

class Agent {
  public:
    using Log = std::function<void(const std::string&)>;
    Agent(asio::io_context& io, Bootstrap bootstrap, Log log);

    /// Runs until all has ended here. Returns the exit code (see run_agent).
    int run();

  private:
    void on_signal();
    void reap();
    void on_first(const std::shared_ptr<LocalPeer>& peer, const wire::Json& json,
                  std::vector<wire::Fd> descriptors);
    void on_order(const wire::ToAgent& order);
    void on_broker(BrokerState state);
    void take_stock();
    void start_run(const wire::StartRun& what);
    void start_proxy(const wire::StartProxy& what);
    void start_ranks(const wire::StartRanks& what);
    void run_stand_in(const wire::RunStandIn& what);
    void tell(const wire::FromAgent& message);
    void note_commit(core::TransactionId transaction);
    void end_all(const std::string& why, int code);
    void consider();
    void watch_orphan();
    void await_output();
    void finish();
    void end_strays(int looks);
    void say_goodbye();
    [[nodiscard]] Situation situation() const;
    [[nodiscard]] bool is_orphaned() const;
    [[nodiscard]] std::string output_path() const;

    asio::io_context& io_;
    Bootstrap bootstrap_;
    Log log_;
    RuntimeDirectory directory_;
    Output output_;
    Input input_;
    StaleFileService stale_files_;
    AgentContext context_;
    LocalServer server_;
    PeerMonitor peers_;
    BrokerLink broker_;
    StreamLink stream_;
    OrphanWatch orphan_;
    asio::signal_set signals_;
    asio::steady_timer orphan_timer_, finish_timer_;
    std::optional<wire::AgentWelcome> welcome_;
    HostedGroups groups_;
    std::optional<wire::RankEnded> last_failure_;
    core::TransactionId committed_{0};  ///< the last resize that was committed here
    bool finish_asked_ = false, ending_ = false, finishing_ = false, awaiting_output_ = false;
    bool peer_failed_ = false;  // a rank of another host has failed while no broker was there
    int code_ = 0;
};

}  // namespace ductile::agent
