// Messages that wait until a broker is connected. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

/// Keeps messages in order. Does not keep reports of progress, which are soon out of date. If there
/// are too many messages, drops the newest, and a notice reports how many are lost.
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
                " messages of this host are lost: too many came while no broker was connected"});
        return taken;
    }

  private:
    static bool is_soon_out_of_date(const wire::FromAgent& message) {
        if (std::holds_alternative<wire::HostPower>(message)) return true;
        const auto* said = std::get_if<wire::FromRanks>(&message);
        return said != nullptr && (std::holds_alternative<wire::Pace>(said->message) ||
                                   std::holds_alternative<wire::UsefulTime>(said->message) ||
                                   std::holds_alternative<wire::Progress>(said->message));
    }

    std::deque<wire::FromAgent> messages_;
    std::size_t dropped_ = 0;
};

}  // namespace ductile::agent
