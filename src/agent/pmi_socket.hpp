// The agent's end of the socket on which a rank speaks PMI-1.
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

/// Never blocks: what the rank does not read is queued, up to a bound.
class PmiSocket : public std::enable_shared_from_this<PmiSocket> {
  public:
    /// Without the newline.
    using OnLine = std::function<void(const std::string&)>;
    PmiSocket(asio::io_context& io, os::Fd ours) : socket_(io, ours.release()) {}

    /// Begins to read. `on_line` is not called any more after close().
    void start(OnLine on_line);
    /// A line, to which the newline is added. False: the rank reads nothing and the queue is full.
    bool send(const std::string& line);
    /// Delivers what the rank, which has ended, has said until then.
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
