// A connection that this agent makes, and makes again when its owner requests it.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>
#include "os/job_timer.hpp"

#include "wire/channel.hpp"

namespace ductile::agent {

/// The identity and the secret with which an agent connects.
struct Credentials {
    wire::Identity identity;
    wire::Secret secret{};
};

/// Where a server listens.
struct Endpoint {
    std::vector<std::string> addresses;
    int port = 0;
};

class ClientChannel {
  public:
    struct Events {
        /// What this callback sends is sent before anything else.
        std::function<void(const std::shared_ptr<wire::Channel>&)> on_open;
        std::function<void(const wire::Message&)> on_message;
        std::function<void(const wire::ConnectResult&)> on_failed;
        /// Not called after drop() or finish().
        std::function<void(const std::string& why, wire::Ending)> on_closed;
    };
    ClientChannel(asio::io_context& io, Credentials credentials, Events events);

    /// Makes one attempt to connect. Does nothing if there is a connection or an attempt already,
    /// or after finish(). Each attempt that nobody answers lets the next attempt wait longer, 60 s
    /// at most. So a server that was stopped finds an attempt that still waits when it continues,
    /// and its queue of connections does not fill meanwhile.
    void connect(const Endpoint& server, const wire::ChannelLimits& limits = {});
    /// Calls `attempt` after this time, unless abandon() or finish() comes first.
    void retry_in(std::chrono::milliseconds pause, std::function<void()> attempt);
    /// Cancels an attempt and a retry. An open connection stays.
    void abandon();
    /// The same as abandon(), and also closes the connection. No callback follows.
    void drop();
    /// Sends `last_word` if there is a connection, and closes it. Then calls `done`.
    void finish(const wire::Message& last_word, std::function<void()> done);

    [[nodiscard]] bool is_open() const { return std::holds_alternative<Open>(state_); }
    /// The server was there at the last attempt, and did not answer.
    [[nodiscard]] bool is_unanswered() const { return unanswered_ > 0; }
    /// Returns false if there is no connection.
    template <class... Types>
    bool send(const std::variant<Types...>& message) {
        const auto* open = std::get_if<Open>(&state_);
        if (open != nullptr) open->channel->send(message);
        return open != nullptr;
    }

  private:
    struct Idle {};
    struct Connecting {
        int attempt = 0;
    };
    struct Open {
        std::shared_ptr<wire::Channel> channel;
    };
    struct Closing {
        std::shared_ptr<wire::Channel> channel;
        std::function<void()> done;
    };
    struct Finished {};

    void connected(int attempt, const wire::ConnectResult& result);
    void closed(const wire::Channel* channel, const std::string& why, wire::Ending ending);
    [[nodiscard]] bool uses(const wire::Channel* channel) const;

    asio::io_context& io_;
    Credentials credentials_;
    Events events_;
    os::JobTimer retry_timer_;
    std::variant<Idle, Connecting, Open, Closing, Finished> state_;
    int attempts_ = 0;
    int unanswered_ = 0;  ///< attempts, one after the other
};

}  // namespace ductile::agent
