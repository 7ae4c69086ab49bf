// Calls a function at a time of the wall clock.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "broker/host_states.hpp"

namespace ductile::broker {

[[nodiscard]] inline WallTime wall_time() {
    return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

class WallAlarm {
  public:
    /// The event loop calls `on_time` at the time that was set, or after an hour if that is
    /// earlier. `on_time` must set the alarm again.
    WallAlarm(asio::io_context& io, std::function<void()> on_time)
        : timer_(io), on_time_(std::move(on_time)) {}

    /// Replaces the time that was set before. Without a time, there is no call.
    void set(std::optional<WallTime> time) {
        timer_.cancel();
        if (!time) return;
        const std::chrono::milliseconds longest = std::chrono::hours(1), now{0};
        timer_.expires_after(std::clamp(*time - wall_time(), now, longest));
        timer_.async_wait([this](const std::error_code& error) {
            if (!error) on_time_();
        });
    }

  private:
    asio::steady_timer timer_;
    std::function<void()> on_time_;
};

}  // namespace ductile::broker
