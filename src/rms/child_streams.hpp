// The ends of a child's standard streams that its parent holds.
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

/// Waits until it is readable; false when it is not within this time.
bool is_readable_within(int fd, std::chrono::milliseconds time);

/// What is written to a child that reads slowly waits. It goes when the child reads no more.
class ChildInput : public std::enable_shared_from_this<ChildInput> {
  public:
    explicit ChildInput(asio::io_context& io) : stream_(io) {}

    /// A socket.
    void open(os::Fd ours);
    void write(std::string_view text);
    [[nodiscard]] std::size_t unread() const { return waiting_.size(); }
    /// The child's standard input ends after what waits.
    void end();
    /// As end(), but blocks until what waits is written or the time is over.
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
    /// Gets pieces as they come; not after close().
    using Take = std::function<void(std::string_view)>;
    ChildOutput(asio::io_context& io, Take take) : stream_(io), take_(std::move(take)) {}

    /// A pipe. Reads until its end.
    void open(os::Fd ours);
    /// What lies in the pipe when nobody writes to it any more.
    void read_rest();
    void close();

  private:
    void wait_to_read();
    bool read_some();

    asio::posix::stream_descriptor stream_;
    Take take_;
};

}  // namespace ductile::rms
