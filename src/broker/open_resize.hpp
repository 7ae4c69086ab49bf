// The open resize: its state machine, and the askers, timers and times that belong to it.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include "os/job_timer.hpp"

#include "broker/asker.hpp"
#include "broker/resize_request.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

using Clock = os::JobClock;

/// A request, and who asked.
struct NextStep {
    ResizeRequest request;
    Askers askers;
    /// The number under which the request was accepted before: of its first resize, or of its
    /// request for hosts; 0: it was not accepted yet.
    core::TransactionId continues{0};
    /// Why no more hosts are requested for this request; empty if more may be requested.
    std::string no_more_hosts = {};
    /// Hosts whose agents stay for this request.
    std::set<core::HostIndex> keeps = {};
    /// For hosts it waits only policy::hosts_within, and then takes the size that it can have.
    bool only_at_once = false;
};

class OpenResize {
  public:
    using OnTimer = std::function<void(resize::Timer)>;

    OpenResize(asio::io_context& io, resize::ResizeOperation begun, OnTimer on_timer)
        : operation(std::move(begun)), io_(io), on_timer_(std::move(on_timer)) {}

    resize::ResizeOperation operation;
    std::optional<NextStep>
        asked;                     ///< taken up again if the resize is called off because of a host
    std::optional<NextStep> next;  ///< follows after this resize
    std::deque<resize::Event> events;  ///< not handled yet

    /// `more` wait for the end of the resize, too.
    void add_askers(const Askers& more) { askers_.insert(askers_.end(), more.begin(), more.end()); }
    [[nodiscard]] Askers take_askers() { return std::exchange(askers_, {}); }

    void arm(const resize::ArmTimer& order);
    void disarm(resize::Timer timer) { timers_.erase(timer); }
    void mark(const std::string& what) { marks_.try_emplace(what, seconds_open()); }
    /// For each mark ("started", "ready", "formed", "bridged", ...): seconds since the acceptance.
    [[nodiscard]] const std::map<std::string, double>& marks() const { return marks_; }
    [[nodiscard]] double seconds_open() const {
        return std::chrono::duration<double>(Clock::now() - accepted_).count();
    }

  private:
    asio::io_context& io_;
    OnTimer on_timer_;
    Askers askers_;
    std::map<resize::Timer, std::shared_ptr<os::JobTimer>> timers_;
    std::map<std::string, double> marks_;
    Clock::time_point accepted_ = Clock::now();
};

}  // namespace ductile::broker
