#include "rms/poll_timer.hpp"

#include <algorithm>
#include <utility>

namespace ductile::rms {

void PollTimer::changed(std::chrono::milliseconds at_the_latest) {
    pause_ = first_pause;
    soon_until_ = std::max(soon_until_, asio::steady_timer::clock_type::now() + at_the_latest);
    if (is_looking_)
        has_changed_ = true;
    else
        arm(pause_);
}

void PollTimer::looked(Next next) {
    is_looking_ = false;
    if (std::exchange(has_changed_, false)) return arm(first_pause);
    if (asio::steady_timer::clock_type::now() < soon_until_) next = Next::soon;
    if (next == Next::never) return;
    if (next == Next::sometime) return arm(idle_pause);
    pause_ = std::min(2 * pause_, longest_pause);
    arm(pause_);
}

void PollTimer::arm(std::chrono::milliseconds pause) {
    timer_.expires_after(pause);
    // If an earlier wait expired just before the timer was set again, its handler is called, too.
    timer_.async_wait([this](const asio::error_code& failed) {
        if (failed || is_looking_ || timer_.expiry() > asio::steady_timer::clock_type::now())
            return;
        is_looking_ = true;
        look_();
    });
}

}  // namespace ductile::rms
