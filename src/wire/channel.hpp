// A connection between agent and broker: frames over TLS 1.3 with the job's secret, on one event
// loop.
//
// A channel is used from the thread that runs its io_context. Its callbacks come from the event
// loop, never from inside a call to the channel.
#pragma once

#include <asio/error_code.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "wire/frame.hpp"
#include "wire/psk.hpp"

namespace ductile::wire {

/// How a channel came to its end.
enum class Ending {
    ours,     ///< close() was called here, and all that was queued has been sent
    goodbye,  ///< the peer closed it in order
    died,     ///< the peer's process ended without a word, or reset the connection
    failed,   ///< a bad frame, a full queue, a deadline, a network error
};

struct ChannelLimits {
    std::size_t queue_bytes = 16u << 20;     ///< more than this unsent closes the channel
    std::size_t drained_bytes = 256u << 10;  ///< on_drained comes when no more than this is unsent
    std::chrono::milliseconds first_message{5000};  ///< server's side: its hello; 0: no deadline
    std::chrono::milliseconds flush{2000};          ///< close() waits so long for what is queued
    /// What the peer's kernel has not acknowledged for so long ends the channel (Ending::failed);
    /// 0: as the system has it. A stopped process still acknowledges, a cut-off host does not.
    std::chrono::milliseconds unacknowledged{0};
};

class Channel : public std::enable_shared_from_this<Channel> {
  public:
    struct Stream;
    Channel(std::unique_ptr<Stream> stream, ChannelLimits limits, std::string peer_address);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Set these, then call start(). A message that on_message refuses by throwing ductile::Error
    /// closes the channel (Ending::failed, the error's text).
    std::function<void(Message)> on_message;
    /// Comes once, last of all callbacks; after it the callbacks are dropped with what they hold.
    std::function<void(const std::string& why, Ending ending)> on_closed;
    /// Less than ChannelLimits::drained_bytes are waiting now (after each write).
    std::function<void()> on_drained;

    void start();

    /// Queues one message; does nothing once the channel is closing. Throws Error when the message
    /// is larger than a frame may be.
    void send(const Message& message);
    template <class... Types>
    void send(const std::variant<Types...>& message) {
        send(encode(message));
    }

    [[nodiscard]] std::size_t queued_bytes() const { return queued_bytes_; }
    [[nodiscard]] bool open() const;
    /// Stops on_message after the message in hand; the peer feels it when its TCP window is full.
    void pause_reading();
    void resume_reading();

    /// Sends what is queued, then closes once the peer has; waits at most ChannelLimits::flush for
    /// either.
    void close();
    /// Closes now and drops what is queued.
    void fail(const std::string& why, Ending ending = Ending::failed);

    /// Numeric address of the peer: an agent comes back to the address that worked.
    [[nodiscard]] const std::string& peer_address() const { return peer_address_; }

  private:
    enum class State { made, open, closing, shut, closed };
    void read();
    void deliver();
    void write();
    void shut_down();
    void finish_shut_down(const asio::error_code& error);
    void discard();
    void ended(const std::string& why, Ending ending);

    std::unique_ptr<Stream> stream_;
    ChannelLimits limits_;
    std::string peer_address_;
    FrameReader reader_;
    std::string waiting_, writing_;
    std::size_t queued_bytes_ = 0;
    State state_ = State::made;
    bool paused_ = false, reading_ = false, delivering_ = false, heard_ = false;
};

struct ServerLimits {
    /// From connecting to the end of the TLS ClientHello, which a client sends at once.
    std::chrono::milliseconds hello{1000};
    std::chrono::milliseconds handshake{5000};  ///< from there to its end
    /// Connections without a ClientHello; for a further one the oldest goes, of the address that
    /// has most of them. At most a quarter of the descriptors that this process may have.
    std::size_t quiet = 256;
    std::size_t half_open = 128;  ///< handshakes at once; others wait, and those over 1 s are cut
    ChannelLimits channel;
};

/// Listens and hands over the channels of those who know the secret. A stranger costs nothing but
/// its own connection: accepting never waits for one, and one that says nothing makes room for
/// those that do.
class ChannelServer {
  public:
    using OnChannel = std::function<void(std::shared_ptr<Channel>, const Identity&)>;

    /// Listens on `address` ("0.0.0.0", "::", "127.0.0.1"); port 0 takes a free one. Throws
    /// SystemError when it cannot. `on_channel` gets a channel that is not started yet.
    ChannelServer(asio::io_context& io, const std::string& address, int port, FindSecret find,
                  OnChannel on_channel, ServerLimits limits = {});
    ~ChannelServer();
    ChannelServer(const ChannelServer&) = delete;
    ChannelServer& operator=(const ChannelServer&) = delete;

    [[nodiscard]] int port() const;
    /// Stops listening and drops handshakes; channels that were handed over live on.
    void close();

  private:
    struct Listener;
    std::shared_ptr<Listener> listener_;
};

/// Why nothing came of a connect.
enum class ConnectFailure {
    none,
    refused,          ///< the host is there, and nobody listens at the port: that process is gone
    unauthenticated,  ///< somebody listens who does not know the secret (or whom we are unknown to)
    unresponsive,     ///< it accepts connections and says nothing: a stopped process, or another
                      ///< program
    unreachable,      ///< no answer, no route, no such name
};

struct ConnectResult {
    std::shared_ptr<Channel> channel;  ///< not started yet; null on failure
    ConnectFailure failure = ConnectFailure::none;
    std::string why;
};

/// Tries the addresses in turn, 2 s each, until `deadline` has passed; then, or at the first that
/// works, calls `done` once, from the event loop. Addresses are numbers or names.
void connect_channel(asio::io_context& io, std::vector<std::string> addresses, int port,
                     const Identity& identity, const Secret& secret,
                     std::chrono::milliseconds deadline, std::function<void(ConnectResult)> done,
                     ChannelLimits limits = {});

}  // namespace ductile::wire
