// What a test and the fakes of its job share.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::broker {

/// What fakes do, for a test that runs beside them.
class Log {
  public:
    void add(const std::string& line) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
        changed_.notify_all();
    }
    /// Waits up to 10 s until the log has this line `times` times. False if it does not.
    [[nodiscard]] bool has(const std::string& line, int times = 1) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(10), [&] {
            return std::count(lines_.begin(), lines_.end(), line) >= times;
        });
    }
    [[nodiscard]] std::vector<std::string> lines() const {
        const std::lock_guard lock(mutex_);
        return lines_;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        lines_.clear();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<std::string> lines_;
};

struct Script {
    Log log;
    /// If the log line of a step ends with one of these, agents log the step but hold it back.
    std::set<std::string> held;
    /// The last committed resize that ranks and agents report to another broker.
    core::TransactionId committed{0};
};

}  // namespace ductile::broker
