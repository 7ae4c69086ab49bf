// The agent: one event loop for the broker's orders, the ranks' messages and the host's processes.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <functional>
#include <string>
#include "os/job_timer.hpp"

#include "agent/agent_life.hpp"
#include "agent/bootstrap.hpp"
#include "agent/broker_link.hpp"
#include "agent/orphan_timer.hpp"
#include "agent/peer_links.hpp"
#include "agent/power_meter.hpp"
#include "agent/rank_history.hpp"
#include "agent/rank_host.hpp"
#include "agent/rank_streams.hpp"

namespace ductile::agent {

class Agent {
  public:
    using Log = std::function<void(const std::string&)>;
    Agent(asio::io_context& io, Bootstrap bootstrap, Log log);

    /// Runs until everything has ended on this host. Returns the exit code (see run_agent).
    int run();

  private:
    void on_signal();
    void await_first_contact(std::chrono::duration<double> limit);
    /// Stops the processes of all groups here, and this agent's clock.
    void suspend();
    /// Continues after suspend(), if it was called.
    void go_on();
    void on_order(const wire::ToAgent& order);
    void welcomed(const wire::AgentWelcome& what);
    void on_broker(BrokerState state);
    void tell(const wire::FromAgent& message);
    void on_rank_message(const wire::FromRank& message);
    void end_all(const std::string& why, int code);
    void consider();
    void watch_orphan();
    void carry_out(AgentStep step);
    void await_output();
    void finish();
    void end_strays(int looks);
    void send_goodbye();
    [[nodiscard]] AgentView view() const;
    [[nodiscard]] Situation situation() const;
    [[nodiscard]] bool is_orphaned() const;
    [[nodiscard]] std::string output_path() const;

    asio::io_context& io_;
    const Bootstrap bootstrap_;
    Log log_;
    PeerLinks peers_;
    BrokerLink broker_;
    RankStreams streams_;
    RankHost host_;
    RankHistory history_;
    AgentLife life_;
    OrphanTimer orphan_;
    PowerMeter power_;
    asio::signal_set signals_;
    os::JobTimer finish_timer_;
    int contacts_left_ = 240;  ///< times that a broker which does not answer is waited for
};

}  // namespace ductile::agent
