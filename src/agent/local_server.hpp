// The agent's Unix socket: ranks and shims of this user on this host.
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/frame_queue.hpp"
#include "wire/frame.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// One connection. It never blocks the agent: what a peer does not read is queued, up to a bound.
class LocalPeer : public std::enable_shared_from_this<LocalPeer> {
  public:
    explicit LocalPeer(asio::local::stream_protocol::socket socket);

    /// A message with the descriptors that came along. A handler that throws ductile::Error closes
    /// the connection.
    std::function<void(wire::Message, std::vector<wire::Fd>)> on_message;
    /// Comes once, from the event loop; then the callbacks are dropped.
    std::function<void(const std::string& why)> on_closed;

    void start();
    void send(const std::string& frame, wire::Fd descriptor = {});
    /// Delivers all that the peer has sent until now: for a peer that is known to be dead.
    void drain();
    void close(const std::string& why);
    [[nodiscard]] bool open() const { return open_; }

    /// From SO_PEERCRED.
    [[nodiscard]] int pid() const { return pid_; }
    [[nodiscard]] unsigned uid() const { return uid_; }

  private:
    void wait_to_read();
    void wait_to_write();
    enum class More { later, ended };
    More read_some();
    void write_some();

    asio::local::stream_protocol::socket socket_;
    wire::FrameReader reader_;
    std::vector<wire::Fd> received_;
    FrameQueue outgoing_;
    bool open_ = true, writing_ = false;
    bool deaf_ = false;  // it takes nothing any more
    int pid_ = 0;
    unsigned uid_ = ~0u;
};

/// Accepts on a path; peers of another user are turned away, and peers that say nothing within 30
/// s.
class LocalServer {
  public:
    using FirstMessage =
        std::function<void(std::shared_ptr<LocalPeer>, wire::Message, std::vector<wire::Fd>)>;
    /// `first` gets each peer with its first message and sets the peer's callbacks. If it throws
    /// ductile::Error the peer is closed, and `refused` gets the reason.
    LocalServer(asio::io_context& io, const std::string& path, FirstMessage first,
                std::function<void(const std::string&)> refused);
    void close();

  private:
    void accept();
    void await_first(const std::shared_ptr<LocalPeer>& peer);

    asio::local::stream_protocol::acceptor acceptor_;
    asio::steady_timer retry_;
    FirstMessage first_;
    std::function<void(const std::string&)> refused_;
};

}  // namespace ductile::agent
