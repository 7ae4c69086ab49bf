// What a helper's work comes to, for the thread that waits for it.
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
    /// The helper's last word.
    void end(Outcome outcome) {
        const std::lock_guard lock(mutex_);
        state_ = std::move(outcome);
        changed_.notify_all();
    }
    /// Wakes whoever waits. From any thread.
    void give_up() {
        const std::lock_guard lock(mutex_);
        if (auto* const at_work = std::get_if<AtWork>(&state_)) at_work->given_up = true;
        changed_.notify_all();
    }

    enum class Waited { ended, given_up, no_progress };
    /// Sleeps until the work has ended or is given up, or has made no step for so long.
    Waited wait(std::chrono::duration<double> without_progress, const data::Progress& progress) {
        using Clock = ProgressDeadline::Clock;
        std::unique_lock lock(mutex_);
        ProgressDeadline deadline(without_progress, progress.steps(), Clock::now());
        while (!changed_.wait_for(lock, deadline.between_looks(),
                                  [this] { return has_ended() || is_given_up(); }))
            if (deadline.has_passed(progress.steps(), Clock::now())) return Waited::no_progress;
        return has_ended() ? Waited::ended : Waited::given_up;
    }
    /// Whether the work ends, given up or not.
    bool ends_within(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [this] { return has_ended(); });
    }
    /// Of work that has ended: the helper does not touch it any more.
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
