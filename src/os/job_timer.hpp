// Timers of the event loop that do not run while the job is stopped.
#pragma once

#include <algorithm>
#include <asio/basic_waitable_timer.hpp>
#include <chrono>

#include "os/job_clock.hpp"

namespace ductile::os {

/// How long the event loop sleeps for a timer. While the clock is held, it looks now and then.
struct JobWait {
    static JobClock::duration to_wait_duration(const JobClock::duration& left) {
        constexpr JobClock::duration between_looks = std::chrono::milliseconds(50);
        return JobClock::is_held() ? std::max(left, between_looks) : left;
    }
    static JobClock::duration to_wait_duration(const JobClock::time_point& time) {
        return to_wait_duration(time - JobClock::now());
    }
};

using JobTimer = asio::basic_waitable_timer<JobClock, JobWait>;

}  // namespace ductile::os
