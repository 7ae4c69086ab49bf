// The agent's end of the connection by which an MPI program speaks PMI-1.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.hpp"
#include "os/tcp_peer.hpp"
#include "pmi/line_buffer.hpp"

namespace ductile::agent {

/// Never blocks: a bounded queue holds what the program does not read.
class PmiSocket : public std::enable_shared_from_this<PmiSocket> {
  public:
    /// Gets the lines that have come together, without their newlines (HostWorld::on_lines()).
    using OnLines = std::function<void(const std::vector<std::string>&)>;
    PmiSocket(asio::io_context& io, os::Fd ours) : socket_(io, ours.release()) {}

    /// Begins to read, a few lines at a time until hand_over(). `on_lines` is not called after
    /// close(). `on_end` is called once, when the program has closed the connection.
    void start(OnLines on_lines, std::function<void()> on_end = {});
    /// Further lines go to `on_lines`, all that have come together. `on_end` is as in start().
    void hand_over(OnLines on_lines, std::function<void()> on_end = {});
    /// Sends a line, and adds the newline. False: the program does not read, and the queue is full.
    bool send(const std::string& line);
    /// Delivers what has come and is still to be read, for example when the process has ended.
    void drain();
    void close();
    /// Whether the program has closed the connection, as far as drain() has read.
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    /// The program's end of the connection, if this is a connection by TCP (os/tcp_peer.hpp).
    [[nodiscard]] std::optional<os::TcpPeer> peer() {
        return os::tcp_peer_of(socket_.native_handle());
    }

  private:
    void wait_to_read();
    void write_some();

    asio::posix::stream_descriptor socket_;
    OnLines on_lines_;
    std::function<void()> on_end_;
    pmi::LineBuffer lines_;
    std::string outgoing_;
    std::size_t together_ = 1;  // bytes after which drain() delivers
    bool writing_ = false, has_ended_ = false;
};

}  // namespace ductile::agent
