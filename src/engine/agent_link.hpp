// The connection of a rank to the broker: a Unix socket to the agent of its host. One helper thread
// reads the socket, and sleeps in poll().
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

/// The socket of a rank's agent, and the group of the rank, from the environment.
struct AgentAddress {
    std::string socket;
    core::GroupId group;
};

/// From DUCTILE_SOCKET and DUCTILE_GROUP. Returns nothing if DUCTILE_SOCKET is not set: then
/// Ductile did not start the process. Throws InputError if DUCTILE_SOCKET is set and DUCTILE_GROUP
/// is not the number of a group.
std::optional<AgentAddress> agent_address();

class AgentLink final : public AgentChannel {
  public:
    /// Connects, says hello and waits (10 s at most) for the welcome. Throws SystemError.
    AgentLink(const AgentAddress& address, core::Rank rank_in_group);
    AgentLink(const AgentLink&) = delete;
    AgentLink& operator=(const AgentLink&) = delete;
    ~AgentLink() override;

    [[nodiscard]] const wire::RankWelcome& welcome() const override { return welcome_; }

    /// Starts the helper thread. The thread calls `on_message`, which must not block. After
    /// set_ticking(true) it also calls `on_tick` after each half second without a message. Without
    /// ticking the thread sleeps until a message comes.
    void start(std::function<void(const wire::ToRank&)> on_message, std::function<void()> on_tick);
    void set_ticking(bool on) override;
    void wait_for_input(std::chrono::milliseconds most) override;

    /// A failure is not reported here: the helper thread notices the end of the connection.
    void send(const wire::FromRank& message) override;

    /// With `goodbye`, sends Goodbye. Ends the thread and the connection. After this call the end
    /// of the agent does not affect this process.
    void close(bool goodbye);

  private:
    void read_until_closed();
    void wake();

    wire::LocalSocket socket_;
    wire::RankWelcome welcome_;
    std::mutex sending_, input_;
    std::condition_variable input_changed_;
    bool has_input_ = false;  ///< the input came, and wait_for_input() has not taken it
    std::thread thread_;
    os::Pipe wake_;
    std::atomic<bool> closing_{false};
    std::atomic<bool> ticking_{false};
    std::function<void(const wire::ToRank&)> on_message_;
    std::function<void()> on_tick_;
};

}  // namespace ductile::engine
