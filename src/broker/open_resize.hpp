// The resize that is open: its state machine, and what of the broker's world belongs to it.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "resize/resize_operation.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

using Clock = std::chrono::steady_clock;

/// What is asked for, and by whom.
struct NextStep {
    wire::ResizeRequest request;
    std::function<void(const wire::Reply& reply, bool last)> respond;
    /// The resize with which the request began, of which this is the rest; 0: it has not begun.
    core::TransactionId continues{0};
    /// Why no more hosts are asked for; empty: they may be.
    std::string no_more_hosts = {};
    /// Hosts whose agents wait for it.
    std::set<core::HostIndex> keeps = {};
};

class OpenResize {
  public:
    using Reply = std::function<void(wire::ReplyKind, const std::string&)>;
    using OnTimer = std::function<void(resize::Timer)>;

    OpenResize(asio::io_context& io, resize::ResizeOperation begun, OnTimer on_timer)
        : operation(std::move(begun)), io_(io), on_timer_(std::move(on_timer)) {}

    resize::ResizeOperation operation;
    std::optional<NextStep> asked;  ///< to be done again, where it is called off for a host's sake
    std::optional<NextStep> next;   ///< to be done after it
    std::deque<resize::Event> events;  ///< not heard yet: each is heard to its end

    /// One more that waits for it.
    void answer_to(Reply reply);
    [[nodiscard]] Reply take_reply() { return std::exchange(reply_, nullptr); }

    void arm(const resize::ArmTimer& order);
    void disarm(resize::Timer timer) { timers_.erase(timer); }
    void mark(const std::string& what) { marks_.try_emplace(what, seconds_open()); }
    /// Seconds since the acceptance: "started", "ready", "formed", "bridged", ...
    [[nodiscard]] const std::map<std::string, double>& marks() const { return marks_; }
    [[nodiscard]] double seconds_open() const {
        return std::chrono::duration<double>(Clock::now() - accepted_).count();
    }

  private:
    asio::io_context& io_;
    OnTimer on_timer_;
    Reply reply_;
    std::map<resize::Timer, std::shared_ptr<asio::steady_timer>> timers_;
    std::map<std::string, double> marks_;
    Clock::time_point accepted_ = Clock::now();
};

}  // namespace ductile::broker
