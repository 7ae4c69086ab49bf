// Which call each thread of the program is in.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "check/rank_state.hpp"

namespace ductile::check {

class Activity {
  public:
    using Clock = std::chrono::steady_clock;

    struct Entry {
        ShortText<40> call;
        ShortText<160> about;
        int collective = 0;
        bool waits = false;
        std::uint64_t number = 0;  ///< of all calls of the process; 0: none yet
        Clock::time_point since;   ///< it waits, or has ended
    };

    /// Of the calling thread.
    void enter(std::string_view call, std::string_view about, int collective = 0);
    void leave();
    /// Of the thread that waits longest, or else of the one that was in a call last.
    [[nodiscard]] Entry look() const;

  private:
    mutable std::mutex mutex_;
    std::map<std::thread::id, Entry> threads_;
    std::uint64_t calls_ = 0;
};

}  // namespace ductile::check
