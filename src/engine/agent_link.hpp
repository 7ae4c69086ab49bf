// A rank's way to the broker: a Unix socket to its host's agent, read by one helper thread that
// sleeps in poll().
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/agent_channel.hpp"
#include "os/pipe.hpp"
#include "wire/local_socket.hpp"

namespace ductile::engine {

/// Where a rank finds its agent and what it is there, as its environment says.
struct AgentAddress {
    std::string socket;
    core::GroupId group;
};

/// From DUCTILE_SOCKET and DUCTILE_GROUP; nothing when the process was not started by Ductile.
/// Throws InputError that names the variable when one is there and bad.
std::optional<AgentAddress> agent_address();

class AgentLink final : public AgentChannel {
  public:
    /// Connects, says hello and waits (10 s at most) for the welcome. Throws SystemError.
    AgentLink(const AgentAddress& address, core::Rank rank_in_group);
    AgentLink(const AgentLink&) = delete;
    AgentLink& operator=(const AgentLink&) = delete;
    ~AgentLink() override;

    [[nodiscard]] const wire::RankWelcome& welcome() const override { return welcome_; }

    /// Starts the helper thread; `on_message` runs on it and must not block. `on_tick` runs on it
    /// every half second after set_ticking(true) (a rank that is not asked to tick sleeps without
    /// end).
    void start(std::function<void(const wire::ToRank&)> on_message, std::function<void()> on_tick);
    void set_ticking(bool on) override;
    void wait_for_input(std::chrono::milliseconds most) override;

    /// A failure is not reported here: the helper thread sees the end of the connection.
    void send(const wire::FromRank& message) override;

    /// Says Goodbye, ends the thread and the connection. After this the agent's end does not matter
    /// to this process.
    void close(bool goodbye);

  private:
    void read_until_closed();
    void wake();

    wire::LocalSocket socket_;
    wire::RankWelcome welcome_;
    std::mutex sending_, input_;
    std::condition_variable input_changed_;
    bool has_input_ = false;  ///< given, and not waited for yet
    std::thread thread_;
    os::Pipe wake_;
    std::atomic<bool> closing_{false};
    std::atomic<bool> ticking_{false};
    std::function<void(const wire::ToRank&)> on_message_;
    std::function<void()> on_tick_;
};

}  // namespace ductile::engine
