// The outcome of a helper's work, for the thread that waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <variant>

#include "data/progress.hpp"
#include "engine/progress_deadline.hpp"

namespace ductile::engine {

template <class Outcome>
class Completion {
  public:
    /// The helper calls this last.
    void end(Outcome outcome) {
        const std::lock_guard lock(mutex_);
        state_ = std::move(outcome);
        changed_.notify_all();
    }
    /// Wakes the waiting thread. Any thread may call this.
    void give_up() {
        const std::lock_guard lock(mutex_);
        if (auto* const at_work = std::get_if<AtWork>(&state_)) at_work->given_up = true;
        changed_.notify_all();
    }

    enum class Waited { ended, given_up, no_progress };
    /// Sleeps until the work has ended, is given up, or makes no step for `without_progress`.
    Waited wait(std::chrono::duration<double> without_progress, const data::Progress& progress) {
        using Clock = ProgressDeadline::Clock;
        std::unique_lock lock(mutex_);
        ProgressDeadline deadline(without_progress, progress.steps(), Clock::now());
        while (!changed_.wait_for(lock, deadline.between_looks(),
                                  [this] { return has_ended() || is_given_up(); }))
            if (deadline.has_passed(progress.steps(), Clock::now())) return Waited::no_progress;
        return has_ended() ? Waited::ended : Waited::given_up;
    }
    /// Whether the work ends within `patience`, even if it is given up.
    bool ends_within(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        return os::AwakeClock::wait_for(changed_, lock, patience, [this] { return has_ended(); });
    }
    /// The work must have ended: the helper does not touch the outcome any more.
    [[nodiscard]] Outcome& outcome() { return std::get<Outcome>(state_); }

  private:
    struct AtWork {
        bool given_up = false;
    };
    [[nodiscard]] bool has_ended() const { return std::holds_alternative<Outcome>(state_); }
    [[nodiscard]] bool is_given_up() const {
        const auto* const at_work = std::get_if<AtWork>(&state_);
        return at_work != nullptr && at_work->given_up;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::variant<AtWork, Outcome> state_;
};

}  // namespace ductile::engine
