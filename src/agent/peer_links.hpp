// The connections between a job's agents, over which they hear of each other (PeerMonitor).
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agent/bootstrap.hpp"
#include "agent/client_channel.hpp"
#include "agent/peer_monitor.hpp"
#include "agent/peer_server.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::agent {

class PeerLinks {
  public:
    struct Events {
        std::function<void()> on_change;  ///< of what the monitor says
        /// The coordinator says: the job is over, end all now.
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

    /// To the coordinator: this host has ended in order, or one of its ranks has failed. Each once.
    void report_end();
    void report_failure(const wire::RankEnded& end);
    /// Coordinator: tells all the others that the job is over: in order, or because of `why`.
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
    std::vector<wire::FromAgent> reports_;  // that any coordinator is to hear
    Endpoint coordinator_;
    ClientChannel to_coordinator_;
    PeerServer server_;
    asio::steady_timer beat_timer_;
};

}  // namespace ductile::agent
