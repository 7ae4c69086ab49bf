// The agent's end of the socket that a rank uses for PMI-1.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/fd.hpp"
#include "pmi/line_buffer.hpp"

namespace ductile::agent {

/// Never blocks: a bounded queue holds what the rank does not read.
class PmiSocket : public std::enable_shared_from_this<PmiSocket> {
  public:
    /// Gets the lines that have come together, without their newlines (HostWorld::on_lines()).
    using OnLines = std::function<void(const std::vector<std::string>&)>;
    PmiSocket(asio::io_context& io, os::Fd ours) : socket_(io, ours.release()) {}

    /// Begins to read. `on_lines` is not called after close().
    void start(OnLines on_lines);
    /// Sends a line, and adds the newline. False: the rank does not read, and the queue is full.
    bool send(const std::string& line);
    /// Delivers what the rank has sent and is still to be read, for example when it has ended.
    void drain();
    void close();

  private:
    void wait_to_read();
    void write_some();

    asio::posix::stream_descriptor socket_;
    OnLines on_lines_;
    pmi::LineBuffer lines_;
    std::string outgoing_;
    bool writing_ = false, has_ended_ = false;
};

}  // namespace ductile::agent
