#include "broker/broker_loop.hpp"

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <utility>

#include "os/signals.hpp"
#include "wire/event_loop.hpp"

namespace ductile::broker {

BrokerLoop::BrokerLoop(std::function<void()> settle) : settle_(std::move(settle)), signals_(io_) {
    for (const int number : os::not_ignored(os::end_signals)) signals_.add(number);
    for (const int number : os::not_ignored(os::program_signals())) signals_.add(number);
    for (const int number : os::not_ignored(std::array{SIGTSTP, SIGCONT})) signals_.add(number);
}

void BrokerLoop::changed() {
    if (std::exchange(is_settling_, true)) return;
    asio::post(io_, [this] {
        is_settling_ = false;
        settle_();
    });
}

void BrokerLoop::arm(Timer which, std::chrono::milliseconds after, std::function<void()> what) {
    timers_.erase(which);
    auto& timer = timers_.emplace(which, os::JobTimer(io_, after)).first->second;
    timer.async_wait([this, what = std::move(what)](const std::error_code& error) {
        if (error) return;
        what();
        changed();
    });
}

void BrokerLoop::arm_until(Timer which, std::optional<os::JobClock::time_point> time,
                           std::function<void()> what) {
    if (!time) return disarm(which);
    const auto left = *time - os::JobClock::now();
    arm(which, std::chrono::ceil<std::chrono::milliseconds>(left), std::move(what));
}

void BrokerLoop::hear_signals(OnEndSignal ends, OnProgramSignal is_for_program,
                              OnStopSignal stops) {
    on_end_signal_ = std::move(ends);
    on_program_signal_ = std::move(is_for_program);
    on_stop_signal_ = std::move(stops);
    next_signal();
}

void BrokerLoop::next_signal() {
    signals_.async_wait([this](const std::error_code& error, int number) {
        if (error) return;
        if (std::ranges::count(os::end_signals, number) > 0)
            on_end_signal_(number, ++end_signals_seen_ > 1);
        else if (number == SIGTSTP || number == SIGCONT)
            on_stop_signal_(number);
        else
            on_program_signal_(number);
        next_signal();
    });
}

void BrokerLoop::run(const std::function<void(const std::string&)>& on_error) {
    wire::run_to_end(io_, on_error);
}

}  // namespace ductile::broker
