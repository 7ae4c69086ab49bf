#include "broker/open_resize.hpp"

namespace ductile::broker {

void OpenResize::arm(const resize::ArmTimer& order) {
    auto& timer = timers_[order.timer];
    timer = std::make_shared<os::JobTimer>(io_);
    timer->expires_after(std::chrono::duration_cast<Clock::duration>(order.after));
    // Ignores a timer that is disarmed after it has expired and before its handler runs.
    timer->async_wait([what = order.timer, armed = std::weak_ptr(timer),
                       on_timer = on_timer_](const std::error_code& error) {
        if (!error && !armed.expired()) on_timer(what);
    });
}

}  // namespace ductile::broker
