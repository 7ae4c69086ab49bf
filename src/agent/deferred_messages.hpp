// What is to be said to a broker that is away. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

/// In the order in which it came. What is out of date when the broker is back is not kept: how far
/// the program is. Of the rest nothing is dropped unnoticed: who reads it hears how much is
/// missing.
class DeferredMessages {
  public:
    static constexpr std::size_t most = 1u << 16;

    void add(const wire::FromAgent& message) {
        if (is_soon_out_of_date(message)) return;
        if (messages_.size() < most)
            messages_.push_back(message);
        else
            ++dropped_;
    }
    [[nodiscard]] std::deque<wire::FromAgent> take() {
        auto taken = std::exchange(messages_, {});
        if (const auto dropped = std::exchange(dropped_, 0); dropped > 0)
            taken.emplace_front(wire::Notice{
                std::to_string(dropped) +
                " messages of this host are lost: too many came while no broker was there"});
        return taken;
    }

  private:
    static bool is_soon_out_of_date(const wire::FromAgent& message) {
        const auto* said = std::get_if<wire::FromRanks>(&message);
        return said != nullptr && (std::holds_alternative<wire::Pace>(said->message) ||
                                   std::holds_alternative<wire::Progress>(said->message));
    }

    std::deque<wire::FromAgent> messages_;
    std::size_t dropped_ = 0;
};

}  // namespace ductile::agent
