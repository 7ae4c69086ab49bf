// Calls its owner when a job without a broker has been in danger for too long (OrphanWatch).
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <utility>
#include "os/job_timer.hpp"

#include "agent/orphan_watch.hpp"

namespace ductile::agent {

class OrphanTimer {
  public:
    /// Gets the reason of the countdown, as a clause without a full stop.
    using OnDue = std::function<void(const std::string& why)>;
    OrphanTimer(asio::io_context& io, OnDue on_due) : timer_(io), on_due_(std::move(on_due)) {}

    void set_limit(std::chrono::duration<double> limit) { watch_.set_limit(limit); }
    void update(const Situation& situation) {
        watch_.update(situation, os::JobClock::now());
        arm();
    }
    /// This process was stopped for a while: the countdown begins again.
    void restart() { watch_.restart(os::JobClock::now()); }
    void stop() { timer_.cancel(); }

  private:
    void arm() {
        const auto deadline = watch_.deadline();
        if (!deadline) return stop();
        timer_.expires_at(*deadline);
        timer_.async_wait([this](const asio::error_code& error) {
            if (!error) fired();
        });
    }
    void fired() {
        const auto deadline = watch_.deadline();
        if (!deadline || *deadline > os::JobClock::now()) return arm();
        on_due_(watch_.why());
    }

    OrphanWatch watch_{std::chrono::seconds(60)};
    os::JobTimer timer_;
    OnDue on_due_;
};

}  // namespace ductile::agent
