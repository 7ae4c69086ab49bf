#include "broker/suspension.hpp"

#include <chrono>
#include <csignal>
#include <utility>

#include "os/job_clock.hpp"
#include "os/signals.hpp"
#include "os/terminal.hpp"

namespace ductile::broker {

namespace {

constexpr int most_looks = 300;
constexpr auto between_looks = std::chrono::milliseconds(10);

}  // namespace

void Suspension::begin() {
    if (waits_ || os::is_orphaned()) return;
    waits_ = true;
    is_any_absent_ = false;
    os::JobClock::hold();
    agents_.send_to_all(wire::SignalRanks{{}, SIGSTOP});
    stop_when_all_know(most_looks);
}

void Suspension::stop_when_all_know(int looks_left) {
    const bool was_any_absent = std::exchange(is_any_absent_, agents_.is_any_absent());
    if (was_any_absent && !is_any_absent_)
        agents_.send_to_all(wire::SignalRanks{{}, SIGSTOP});  // some do not know it yet
    if (looks_left > 0 && (is_any_absent_ || agents_.has_unsent())) {
        timer_.expires_after(between_looks);
        return timer_.async_wait([this, looks_left](const std::error_code& error) {
            if (!error && waits_) stop_when_all_know(looks_left - 1);
        });
    }
    os::stop_this_process();
    go_on();
}

void Suspension::call_off() {
    if (!waits_) return;
    timer_.cancel();
    go_on();
}

void Suspension::go_on() {
    waits_ = false;
    ended_ = std::chrono::steady_clock::now();
    os::JobClock::release();
    agents_.send_to_all(wire::SignalRanks{{}, SIGCONT});
}

}  // namespace ductile::broker
