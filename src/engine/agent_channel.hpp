// The connection of a member or newcomer to the broker, as an interface.
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
    /// Any thread may call this. A failure is not reported.
    virtual void send(const wire::FromRank& message) = 0;
    /// Sets whether the link's thread asks the rank for its progress every half second.
    virtual void set_ticking(bool on) = 0;
    /// Waits, for `most` at most, until this process, as the new rank 0, has the standard input of
    /// the job. The input may already be at end-of-file. The agent passes the input on when the
    /// broker knows of the switch. Without a broker the input never comes.
    virtual void wait_for_input(std::chrono::milliseconds most) = 0;
};

}  // namespace ductile::engine
