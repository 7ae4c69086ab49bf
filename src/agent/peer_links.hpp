// The connections between a job's agents, by which they monitor each other (PeerMonitor).
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <vector>
#include "os/job_timer.hpp"

#include "agent/bootstrap.hpp"
#include "agent/client_channel.hpp"
#include "agent/peer_monitor.hpp"
#include "agent/peer_server.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class PeerLinks {
  public:
    struct Events {
        std::function<void()> on_change;  ///< the state of the monitor may have changed
        /// The coordinator ends the job because of an error: end everything now.
        std::function<void(const std::string& why)> on_end;
        std::function<void(const std::string&)> log;
    };
    PeerLinks(asio::io_context& io, const Bootstrap& bootstrap, Events events);

    /// Where other agents reach this one.
    [[nodiscard]] int port() const { return server_.port(); }
    void set_heartbeat(const Heartbeat& heartbeat) { monitor_.set_heartbeat(heartbeat); }
    void set_coordinator(const wire::Coordinator& coordinator);
    void set_brokerless(bool on);

    [[nodiscard]] const PeerMonitor& monitor() const { return monitor_; }
    [[nodiscard]] bool are_complete() const;

    /// Tells the coordinator once that everything has ended normally on this host. report_failure()
    /// tells it that a rank of this host has failed, once for each loss of the broker.
    void report_end();
    void report_failure(const wire::RankEnded& end);
    /// For the coordinator: tells all other agents that the job is over. `why`: the reason; empty
    /// if the end is normal.
    void dismiss(const std::string& why);
    void close();

  private:
    void from_peer(core::HostIndex host, const wire::FromAgent& message);
    void from_coordinator(const wire::ToAgent& message);
    void opened();
    void connect();
    void tick();
    void on(const peer_event::Any& event);

    Events events_;
    wire::AgentHello hello_;
    PeerMonitor monitor_;
    bool was_complete_ = false;
    std::vector<wire::FromAgent> reports_;  // sent on each new connection to a coordinator
    Endpoint coordinator_;
    ClientChannel to_coordinator_;
    PeerServer server_;
    os::JobTimer heartbeat_timer_;
};

}  // namespace ductile::agent
