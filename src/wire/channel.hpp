// A connection between agent and broker: frames over TLS 1.3 with the job's secret, on one event
// loop.
//
// Only the thread that runs the io_context uses a channel. The event loop calls the callbacks. No
// member function of the channel calls a callback before it returns.
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

/// How a channel ended.
enum class Ending {
    ours,     ///< this side called close()
    goodbye,  ///< the peer closed it in order
    died,     ///< the peer's process ended without close_notify, or reset the connection
    failed,   ///< a bad frame, a full queue, a deadline, a network error
};

struct ChannelLimits {
    std::size_t queue_bytes = 16u << 20;            ///< more unsent bytes close the channel
    std::size_t drained_bytes = 256u << 10;         ///< on_drained: the most unsent bytes
    std::chrono::milliseconds first_message{5000};  ///< for the peer's first message; 0: no limit
    std::chrono::milliseconds flush{2000};          ///< see Channel::close()
    /// The channel ends (Ending::failed) when the peer's kernel acknowledges nothing for this time.
    /// If there is no data, TCP asks for it after as long. 0: the default of the system. The host
    /// of a stopped process still acknowledges data. A host that is cut off does not.
    std::chrono::milliseconds unacknowledged{0};
};

class Channel : public std::enable_shared_from_this<Channel> {
  public:
    struct Stream;
    Channel(std::unique_ptr<Stream> stream, ChannelLimits limits, std::string peer_address);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Set the callbacks, then call start(). If on_message throws ductile::Error, the channel
    /// closes (Ending::failed, with the text of the error).
    std::function<void(Message)> on_message;
    /// Called once, as the last callback. Then the channel drops its callbacks and what they hold.
    std::function<void(const std::string& why, Ending ending)> on_closed;
    /// Called after each write that leaves at most ChannelLimits::drained_bytes in the queue.
    std::function<void()> on_drained;

    void start();

    /// Queues one message. Does nothing once the channel is closing. Throws Error when the message
    /// is larger than a frame may be.
    void send(const Message& message);
    template <class... Types>
    void send(const std::variant<Types...>& message) {
        send(encode(message));
    }

    [[nodiscard]] std::size_t queued_bytes() const { return queued_bytes_; }
    [[nodiscard]] bool open() const;
    /// Delivers no more messages after the current message. When the buffers of TCP are full, the
    /// peer must wait.
    void pause_reading();
    void resume_reading();

    /// Sends what is queued, and closes when the peer has closed. Waits at most
    /// ChannelLimits::flush for each of the two.
    void close();
    /// Closes now and drops what is queued.
    void fail(const std::string& why, Ending ending = Ending::failed);

    /// The numeric address of the peer. An agent uses it to connect again.
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
    /// The time from the TCP connection to the last byte of the TLS ClientHello. A client sends its
    /// ClientHello immediately.
    std::chrono::milliseconds hello{1000};
    std::chrono::milliseconds handshake{5000};  ///< from then to the end of the handshake
    /// The most connections that have sent no complete ClientHello. If one more arrives, the server
    /// looks for the address with the most such connections, and closes the oldest of these. The
    /// same number of further connections can wait until their handshake begins; if there are more,
    /// the server closes the oldest of these. The number is at most a quarter of the descriptors
    /// that this process may have.
    std::size_t quiet = 256;
    /// The most handshakes at the same time. While more peers wait, a handshake may take 1 s only.
    std::size_t half_open = 128;
    ChannelLimits channel;
};

/// Listens, and hands over the channels of peers that know the secret. An unauthenticated peer
/// costs only its own connection: the server accepts other peers meanwhile, and drops a silent
/// connection when the server needs room.
class ChannelServer {
  public:
    using OnChannel = std::function<void(std::shared_ptr<Channel>, const Identity&)>;

    /// Listens on a numeric address. "::" is all addresses, of IPv4 and of IPv6; on a host without
    /// IPv6, all of IPv4. With port 0 the system chooses a free port. Throws SystemError when
    /// listening fails. `on_channel` gets a channel that is not
    /// started yet.
    ChannelServer(asio::io_context& io, const std::string& address, int port, FindSecret find,
                  OnChannel on_channel, ServerLimits limits = {});
    ~ChannelServer();
    ChannelServer(const ChannelServer&) = delete;
    ChannelServer& operator=(const ChannelServer&) = delete;

    [[nodiscard]] int port() const;
    /// Stops listening and drops handshakes. Channels that were handed over stay open.
    void close();

  private:
    struct Listener;
    std::shared_ptr<Listener> listener_;
};

/// Why a connect failed.
enum class ConnectFailure {
    none,
    refused,          ///< the host is up, and no process listens at the port: the process has ended
    unauthenticated,  ///< the process that listens does not know the secret, or not this identity
    unresponsive,  ///< the process accepts connections and sends nothing: it is stopped, or another
                   ///< program
    unreachable,   ///< no answer, no route, no such name
};

struct ConnectResult {
    std::shared_ptr<Channel> channel;  ///< not started yet; null on failure
    ConnectFailure failure = ConnectFailure::none;
    std::string why;
};

/// Tries each address in turn, for at most 2 s, until one works. Addresses are numbers or names; a
/// name stands for all its addresses. Whoever accepts the connection at the last address has the
/// time `answer` for the handshake. A process that accepts the connection at an earlier address and
/// sends nothing may be a stopped broker: its address is tried once more at the end, and has the
/// time `answer`, too. Then calls `done` once, from the event loop.
void connect_channel(asio::io_context& io, std::vector<std::string> addresses, int port,
                     const Identity& identity, const Secret& secret,
                     std::chrono::milliseconds answer, std::function<void(ConnectResult)> done,
                     ChannelLimits limits = {});

}  // namespace ductile::wire
