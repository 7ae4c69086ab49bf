// The agent's Unix socket, to which ranks, shims and companions of mpiexec on this host connect.
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "os/job_timer.hpp"

#include "agent/frame_queue.hpp"
#include "wire/frame.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

/// One connection. It never blocks the agent: a queue holds what the peer does not read. If the
/// queue would exceed 8 MiB, the connection is closed.
class LocalPeer : public std::enable_shared_from_this<LocalPeer> {
  public:
    explicit LocalPeer(asio::local::stream_protocol::socket socket);

    /// Called with each message and the descriptors that came with it. If it throws, the connection
    /// is closed.
    std::function<void(wire::Message, std::vector<wire::Fd>)> on_message;
    /// The event loop calls this once. Then the callbacks are dropped.
    std::function<void(const std::string& why)> on_closed;

    void start();
    void send(const std::string& frame, wire::Fd descriptor = {});
    /// Delivers everything that the peer has sent. For a peer that is known to be dead.
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
    bool deaf_ = false;  // the peer accepts nothing any more
    int pid_ = 0;
    unsigned uid_ = ~0u;
};

/// Accepts connections on a path. Refuses other users, and peers that send no message within 30 s.
class LocalServer {
  public:
    using FirstMessage =
        std::function<void(std::shared_ptr<LocalPeer>, wire::Message, std::vector<wire::Fd>)>;
    /// `first` gets each peer with its first message, and sets the callbacks of the peer. If
    /// `first` throws, the peer is closed. `refused` gets the reason, and also reports other users.
    LocalServer(asio::io_context& io, const std::string& path, FirstMessage first,
                std::function<void(const std::string&)> refused);
    void close();

  private:
    void accept();
    void await_first(const std::shared_ptr<LocalPeer>& peer);

    asio::local::stream_protocol::acceptor acceptor_;
    os::JobTimer retry_;
    FirstMessage first_;
    std::function<void(const std::string&)> refused_;
};

}  // namespace ductile::agent
