// Decides when to poll something that sends no events: soon after a change, then less and less
// often.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>

namespace ductile::rms {

class PollTimer {
  public:
    /// `soon`: after a pause that grows from 30 ms to 2 s. `sometime`: after 15 s. `never`: only
    /// after changed().
    enum class Next { soon, sometime, never };

    /// `look` begins a poll. When the poll has ended, the caller must call looked(). Only one poll
    /// runs at a time.
    PollTimer(asio::io_context& io, std::function<void()> look)
        : timer_(io), look_(std::move(look)) {}

    /// A change is expected from now on. It may come as late as `at_the_latest` from now.
    void changed(std::chrono::milliseconds at_the_latest = {});
    /// A poll has ended. `next`: when the next poll is needed.
    void looked(Next next);

  private:
    void arm(std::chrono::milliseconds pause);

    static constexpr std::chrono::milliseconds first_pause{30};
    static constexpr std::chrono::milliseconds longest_pause{2000};
    static constexpr std::chrono::milliseconds idle_pause{15'000};

    asio::steady_timer timer_;
    std::function<void()> look_;
    std::chrono::milliseconds pause_ = first_pause;
    asio::steady_timer::time_point soon_until_;
    bool is_looking_ = false;
    bool has_changed_ = false;  ///< changed() was called since the poll began
};

}  // namespace ductile::rms
