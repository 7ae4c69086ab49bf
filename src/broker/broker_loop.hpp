// The broker's event loop: what it waits for besides words of others.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace ductile::broker {

class BrokerLoop {
  public:
    enum class Timer {
        watch,
        spawns,     ///< MPI_Comm_spawn of the program is given up
        renewal,    ///< a degraded job asks for its renewal
        suspicion,  ///< the end of FailureClassifier's time
        end,        ///< agents that do not end are waited for no more
        absent,     ///< nor those that have not connected
        recovery
    };

    /// `again`: not the first one.
    using OnSignal = std::function<void(int number, bool again)>;

    /// `settle`: what may follow from any event.
    explicit BrokerLoop(std::function<void()> settle);

    [[nodiscard]] asio::io_context& io() { return io_; }
    /// Something has happened: `settle` is due, once for all that happens in a turn of the loop.
    void changed();
    /// Calls `what`, then changed(), after this time. In place of what the timer was armed for.
    void arm(Timer which, std::chrono::milliseconds after, std::function<void()> what);
    void disarm(Timer which) { timers_.erase(which); }
    /// The same at this time; without one it is disarmed.
    void arm_until(Timer which, std::optional<std::chrono::steady_clock::time_point> time,
                   std::function<void()> what);
    /// SIGINT, SIGTERM, SIGHUP, SIGQUIT. Those that have come since the constructor are told first.
    void hear_signals(OnSignal on_signal);

    /// Until stop(). As wire::run_to_end().
    void run(const std::function<void(const std::string&)>& on_error);
    void stop() { io_.stop(); }

  private:
    void next_signal();

    asio::io_context io_;
    std::function<void()> settle_;
    bool is_settling_ = false;  ///< it is on its way
    std::map<Timer, asio::steady_timer> timers_;
    asio::signal_set signals_;
    OnSignal on_signal_;
    int signals_seen_ = 0;
};

}  // namespace ductile::broker
