#include "broker/open_resize.hpp"

namespace ductile::broker {

void OpenResize::answer_to(Reply reply) {
    if (!reply_) {
        reply_ = std::move(reply);
        return;
    }
    reply_ = [first = std::move(reply_), second = std::move(reply)](wire::ReplyKind kind,
                                                                    const std::string& text) {
        first(kind, text);
        second(kind, text);
    };
}

void OpenResize::arm(const resize::ArmTimer& order) {
    auto& timer = timers_[order.timer];
    timer = std::make_shared<asio::steady_timer>(io_);
    timer->expires_after(std::chrono::duration_cast<Clock::duration>(order.after));
    // One that has expired, and is disarmed before its handler runs, says nothing.
    timer->async_wait([what = order.timer, armed = std::weak_ptr(timer),
                       on_timer = on_timer_](const std::error_code& error) {
        if (!error && !armed.expired()) on_timer(what);
    });
}

}  // namespace ductile::broker
