// The parent's ends of a child's standard streams.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "os/fd.hpp"

namespace ductile::rms {

/// Waits until `fd` is readable. False: it is not readable within this time.
bool is_readable_within(int fd, std::chrono::milliseconds time);

/// Queues text until the socket to the child has space for it. Drops the queue when the child has
/// closed its input.
class ChildInput : public std::enable_shared_from_this<ChildInput> {
  public:
    explicit ChildInput(asio::io_context& io) : stream_(io) {}

    /// `ours`: this process's end of a socket pair.
    void open(os::Fd ours);
    void write(std::string_view text);
    /// How many bytes are in the queue. The socket may hold further unread bytes.
    [[nodiscard]] std::size_t unread() const { return waiting_.size(); }
    /// Ends the child's standard input after the queued text.
    void end();
    /// As end(), but blocks until the queue is written or `until` has passed.
    void end_by(std::chrono::steady_clock::time_point until);
    void close();

  private:
    void flush();
    bool write_some();

    asio::posix::stream_descriptor stream_;
    std::string waiting_;
    bool ends_ = false;
};

class ChildOutput : public std::enable_shared_from_this<ChildOutput> {
  public:
    /// Gets pieces as they arrive. It is not called after close().
    using Take = std::function<void(std::string_view)>;
    ChildOutput(asio::io_context& io, Take take) : stream_(io), take_(std::move(take)) {}

    /// `ours`: the reading end of a pipe. The event loop reads it to its end.
    void open(os::Fd ours);
    /// Reads what remains in the pipe when no process writes to it any more.
    void read_rest();
    void close();

  private:
    void wait_to_read();
    bool read_some();

    asio::posix::stream_descriptor stream_;
    Take take_;
};

}  // namespace ductile::rms
