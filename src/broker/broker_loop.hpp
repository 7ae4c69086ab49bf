// The broker's event loop, with its timers and signals.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include "os/job_timer.hpp"

namespace ductile::broker {

class BrokerLoop {
  public:
    enum class Timer {
        watch,
        spawns,     ///< a late MPI_Comm_spawn of the program fails
        renewal,    ///< a degraded job requests its renewal
        suspicion,  ///< the suspicion window of FailureClassifier closes
        end,        ///< the broker stops waiting for agents that do not end
        policy,     ///< the policy of the job is asked
        absent,     ///< the broker gives up agents that have not connected
        recovery
    };

    /// `again`: it is not the first of these signals.
    using OnEndSignal = std::function<void(int number, bool again)>;
    using OnProgramSignal = std::function<void(int number)>;
    using OnStopSignal = std::function<void(int number)>;

    /// `settle`: carries out what may follow from any event.
    explicit BrokerLoop(std::function<void()> settle);

    [[nodiscard]] asio::io_context& io() { return io_; }
    /// Something has happened. Calls `settle` soon, once for all events of a turn of the loop.
    void changed();
    /// Returns a callback that passes its arguments to `what`, then calls changed().
    template <class What>
    auto heard(What what) {
        return [this, what = std::move(what)](const auto&... arguments) {
            what(arguments...);
            changed();
        };
    }
    /// Calls `what`, then changed(), after this time. Replaces the earlier call of this timer.
    void arm(Timer which, std::chrono::milliseconds after, std::function<void()> what);
    void disarm(Timer which) { timers_.erase(which); }
    /// Like arm(), but at a point in time. Without a time, disarms the timer.
    void arm_until(Timer which, std::optional<os::JobClock::time_point> time,
                   std::function<void()> what);
    /// Reports the signals that end a job, those that are for the program (os/signals.hpp), and
    /// SIGTSTP (Ctrl-Z) and SIGCONT, also those received since the constructor. A signal that was
    /// ignored when this process started stays ignored.
    void hear_signals(OnEndSignal ends, OnProgramSignal is_for_program, OnStopSignal stops);

    /// Runs the loop until stop(). See wire::run_to_end() for `on_error`.
    void run(const std::function<void(const std::string&)>& on_error);
    void stop() { io_.stop(); }

  private:
    void next_signal();

    asio::io_context io_;
    std::function<void()> settle_;
    bool is_settling_ = false;  ///< a call of settle_ is already posted
    std::map<Timer, os::JobTimer> timers_;
    asio::signal_set signals_;
    OnEndSignal on_end_signal_;
    OnProgramSignal on_program_signal_;
    OnStopSignal on_stop_signal_;
    int end_signals_seen_ = 0;
};

}  // namespace ductile::broker
