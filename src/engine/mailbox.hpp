// A queue of messages. A thread sleeps while it waits for one.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
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
    /// The oldest message. Waits without limit: the sender has the deadline.
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
    /// The next message of type `Wanted`. Waits without limit. `otherwise` gets the messages
    /// that come before it.
    template <class Wanted>
    Wanted wait_for(const std::function<void(const wire::ToRank&)>& otherwise) {
        for (;;) {
            auto message = take();
            if (auto* wanted = std::get_if<Wanted>(&message)) return std::move(*wanted);
            otherwise(message);
        }
    }
    /// Whether the queue holds a message for which `such` returns true.
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
