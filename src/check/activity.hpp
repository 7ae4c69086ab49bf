// The current or last call of each thread of the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "check/rank_state.hpp"
#include "os/job_clock.hpp"

namespace ductile::check {

class Activity {
  public:
    using Clock = os::AwakeClock;

    struct Entry {
        ShortText<40> call;
        ShortText<160> about;
        int collective = 0;
        bool waits = false;
        std::uint64_t number = 0;  ///< counts all calls of the process; 0: none yet
        Clock::time_point since;   ///< when the call began; after the call: when it ended
    };

    /// Called by the thread that makes the call.
    void enter(std::string_view call, std::string_view about, int collective = 0);
    void leave();
    /// The entry of the thread that waits longest. If no thread waits: of the thread that ended a
    /// call last.
    [[nodiscard]] Entry look() const;

  private:
    mutable std::mutex mutex_;
    std::map<std::thread::id, Entry> threads_;
    std::uint64_t calls_ = 0;
};

}  // namespace ductile::check
