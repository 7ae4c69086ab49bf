// Clocks that stand still while a job is stopped, for the deadlines of a job.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ductile::os {

/// For a process that knows when the job is stopped. All times of this process are of one clock, so
/// no deadline of it runs meanwhile.
class JobClock {
  public:
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<JobClock>;
    static constexpr bool is_steady = true;

    static time_point now() {
        const auto state = state_.load();
        return time_point(duration(is_held(state) ? state - held : steady() - state));
    }
    /// The clock stands still from now on.
    static void hold() {
        if (!is_held()) state_ = now().time_since_epoch().count() / 2 * 2 + held;
    }
    /// The clock goes on from the time at which it stands.
    static void release() {
        if (const auto state = state_.load(); is_held(state))
            state_ = (steady() - (state - held)) / 2 * 2;
    }
    [[nodiscard]] static bool is_held() { return is_held(state_.load()); }

  private:
    // Odd: the time at which the clock stands, and 1. Even: how far it is behind the steady clock.
    // One number, so that other threads never read a mixture.
    static constexpr std::int64_t held = 1;
    static bool is_held(std::int64_t state) { return state % 2 != 0; }
    static std::int64_t steady() {
        return std::chrono::duration_cast<duration>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    static inline std::atomic<std::int64_t> state_{0};
};

/// What an AwakeClock shows, by the times at which somebody has looked at it, in nanoseconds.
class AwakeTime {
  public:
    std::int64_t at(std::int64_t steady) {
        constexpr std::int64_t longest = 2'000'000'000;
        const std::lock_guard lock(mutex_);
        if (steady > last_look_) {
            if (last_look_ != 0 && steady - last_look_ > longest) behind_ += steady - last_look_;
            last_look_ = steady;
        }
        return steady - behind_;
    }

  private:
    std::mutex mutex_;
    std::int64_t last_look_ = 0, behind_ = 0;
};

/// For a process that others stop, without a word before. Whoever waits for a deadline of this
/// clock looks at it every half second, unless a call blocks. If nobody has looked for 2 s, the
/// process was stopped, or nobody had a deadline: that time does not count.
class AwakeClock {
  public:
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<AwakeClock>;
    static constexpr bool is_steady = true;
    static constexpr std::chrono::milliseconds between_looks{500};

    /// Waits for the condition variable until `done`, at most for `patience` of this clock. Returns
    /// done().
    template <class Done>
    static bool wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                         duration patience, Done done) {
        const auto until = now() + patience;
        for (auto left = patience; !done() && left > duration::zero(); left = until - now())
            changed.wait_for(lock, std::min<duration>(left, between_looks), done);
        return done();
    }

    static time_point now() {
        return time_point(duration(
            time_.at(duration(std::chrono::steady_clock::now().time_since_epoch()).count())));
    }

  private:
    static inline AwakeTime time_;
};

}  // namespace ductile::os
