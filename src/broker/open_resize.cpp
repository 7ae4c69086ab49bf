#include "broker/open_resize.hpp"

namespace ductile::broker {

void OpenResize::arm(const resize::ArmTimer& order) {
    auto& timer = timers_[order.timer];
    timer = std::make_unique<asio::steady_timer>(io_);
    timer->expires_after(std::chrono::duration_cast<Clock::duration>(order.after));
    timer->async_wait([what = order.timer, on_timer = on_timer_](const std::error_code& error) {
        if (!error) on_timer(what);
    });
}

}  // namespace ductile::broker
