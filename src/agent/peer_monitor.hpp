// What holds a job together when its broker is gone: the agent of rank 0's host (the deputy) hears
// from all the others, and they from it.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/bootstrap.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::agent {

class PeerMonitor {
  public:
    struct Events {
        std::function<void()> on_change;  ///< complete() or ended() may have changed
        /// Another agent's rank has failed while no broker was there (deputy only).
        std::function<void(const std::string&)> on_failure;
        /// The deputy says: the job is over (end all now), or it is over in order.
        std::function<void(const std::string& why)> on_end;
    };
    PeerMonitor(asio::io_context& io, const Bootstrap& bootstrap, Events events);

    /// Where other agents reach this one.
    [[nodiscard]] int port() const { return server_.port(); }
    void set_timing(double beat_s, double beat_limit_s);
    void set_deputy(const wire::Deputy& deputy);
    /// True once the broker is lost: peers are monitored only then.
    void use(bool on);

    [[nodiscard]] bool is_deputy() const;
    [[nodiscard]] bool knows_deputy() const { return deputy_.has_value(); }
    /// The deputy hears of every host that holds members, or they have ended in order; the others
    /// hear of the deputy.
    [[nodiscard]] bool complete() const;
    /// All other hosts that hold members have ended in order (deputy), or the deputy has.
    [[nodiscard]] bool others_ended() const;

    /// To the deputy: this host has ended in order, or one of its ranks has failed.
    void say_ended();
    void say_failed(const wire::RankEnded& end);
    /// Deputy: tells all the others that the job is over: in order, or because of `why`.
    void dismiss(const std::string& why);
    void close();

  private:
    struct Peer {
        std::shared_ptr<wire::Channel> channel;
        std::chrono::steady_clock::time_point heard;
        bool ended = false;
    };
    void accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& identity);
    void from_peer(core::HostIndex host, const wire::Json& json);
    void connect();
    void connected(wire::ConnectResult result);
    void tick();
    [[nodiscard]] bool is_heard(const Peer& peer) const;

    asio::io_context& io_;
    wire::Identity identity_;
    wire::Secret secret_;
    Events events_;
    asio::steady_timer timer_;
    std::optional<wire::Deputy> deputy_;
    std::map<core::HostIndex, Peer> peers_;  // deputy: who has connected
    Peer to_deputy_;                         // others
    std::chrono::duration<double> beat_{1}, beat_limit_{5};
    std::optional<wire::RankEnded> failure_;
    bool on_ = false, connecting_ = false, said_ended_ = false, was_complete_ = false,
         closed_ = false;
    wire::ChannelServer server_;
};

}  // namespace ductile::agent
