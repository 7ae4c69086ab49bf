// What is to be said to a broker that is away. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

/// In the order in which it came. The oldest goes when there is too much.
class DeferredMessages {
  public:
    static constexpr std::size_t most = 4096;

    void add(const wire::FromAgent& message) {
        if (messages_.size() == most) messages_.pop_front();
        messages_.push_back(message);
    }
    [[nodiscard]] std::deque<wire::FromAgent> take() { return std::exchange(messages_, {}); }

  private:
    std::deque<wire::FromAgent> messages_;
};

}  // namespace ductile::agent
