// The timers of a group's life.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include "os/job_timer.hpp"

#include "agent/group_events.hpp"

namespace ductile::agent {

class GroupTimers {
  public:
    /// The event loop calls this with the timer that has fired, perhaps after this object is
    /// destroyed.
    using OnFired = std::function<void(GroupTimer)>;

    explicit GroupTimers(asio::io_context& io) : io_(io) {}

    /// Starts a timer. A timer that runs already gets the new time.
    void start(GroupTimer which, Time at, OnFired on_fired) {
        auto& timer = timers_.try_emplace(which, io_).first->second;
        timer.expires_at(at);
        timer.async_wait([which, on_fired = std::move(on_fired)](const asio::error_code& error) {
            if (!error) on_fired(which);
        });
    }
    void stop(GroupTimer which) {
        if (const auto timer = timers_.find(which); timer != timers_.end()) timer->second.cancel();
    }
    void stop_all() {
        for (auto& [which, timer] : timers_) timer.cancel();
    }

  private:
    asio::io_context& io_;
    std::map<GroupTimer, os::JobTimer> timers_;
};

}  // namespace ductile::agent
