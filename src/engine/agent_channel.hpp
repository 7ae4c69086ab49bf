// What a member and a newcomer need of their way to the broker.
#pragma once

#include <chrono>

#include "wire/from_rank_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::engine {

class AgentChannel {
  public:
    AgentChannel() = default;
    virtual ~AgentChannel() = default;
    AgentChannel(const AgentChannel&) = delete;
    AgentChannel& operator=(const AgentChannel&) = delete;

    [[nodiscard]] virtual const wire::RankWelcome& welcome() const = 0;
    /// From any thread. Says nothing of a failure.
    virtual void send(const wire::FromRank& message) = 0;
    /// Whether the rank is to be asked every half second how it gets on.
    virtual void set_ticking(bool on) = 0;
    /// Until this process has the job's standard input (which may be at its end), as its new rank
    /// 0. The agent gives it once the broker knows of the switch; without a broker it never comes.
    virtual void wait_for_input(std::chrono::milliseconds most) = 0;
};

}  // namespace ductile::engine
