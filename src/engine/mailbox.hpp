// Messages that a thread waits for, asleep.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "wire/to_rank_messages.hpp"

namespace ductile::engine {

class Mailbox {
  public:
    void put(wire::ToRank message) {
        {
            const std::lock_guard lock(mutex_);
            messages_.push_back(std::move(message));
        }
        arrived_.notify_all();
    }
    /// The oldest message, waiting without limit: whoever should send it has the deadline.
    wire::ToRank take() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !messages_.empty(); });
        return pop();
    }
    /// The oldest message, or nothing after `patience`.
    std::optional<wire::ToRank> take_for(std::chrono::microseconds patience) {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, patience, [this] { return !messages_.empty(); }))
            return std::nullopt;
        return pop();
    }
    /// Whether such a message has come and is still to be taken.
    template <class Predicate>
    bool holds(Predicate such) {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(messages_, such);
    }

  private:
    wire::ToRank pop() {
        wire::ToRank first = std::move(messages_.front());
        messages_.pop_front();
        return first;
    }
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<wire::ToRank> messages_;
};

}  // namespace ductile::engine
