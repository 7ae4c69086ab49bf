// The agent's end of the socket that a rank uses for PMI-1.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "os/fd.hpp"
#include "pmi/line_buffer.hpp"

namespace ductile::agent {

/// Never blocks: a bounded queue holds what the rank does not read.
class PmiSocket : public std::enable_shared_from_this<PmiSocket> {
  public:
    /// Gets each line without its newline.
    using OnLine = std::function<void(const std::string&)>;
    PmiSocket(asio::io_context& io, os::Fd ours) : socket_(io, ours.release()) {}

    /// Begins to read. `on_line` is not called after close().
    void start(OnLine on_line);
    /// Sends a line, and adds the newline. False: the rank does not read, and the queue is full.
    bool send(const std::string& line);
    /// The rank has ended: delivers what it had sent before.
    void drain();
    void close();

  private:
    enum class More { later, ended };
    void wait_to_read();
    More read_some();
    void write_some();

    asio::posix::stream_descriptor socket_;
    OnLine on_line_;
    pmi::LineBuffer lines_;
    std::string outgoing_;
    bool writing_ = false;
};

}  // namespace ductile::agent
