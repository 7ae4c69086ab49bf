// A Unix socket for ranks, shims and the `ductile` program. A send and a receive wait with poll, up
// to a deadline. (Agent and broker use the event loop instead.)
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.hpp"
#include "wire/frame.hpp"

namespace ductile::wire {

using os::Fd;

/// One connected socket. It is not thread-safe. Exception: one thread may send while another
/// receives.
class LocalSocket {
  public:
    LocalSocket() = default;
    explicit LocalSocket(Fd fd) : fd_(std::move(fd)) {}

    /// Connects to the socket at `path`, which a process of this user must serve. Throws InputError
    /// if the path is too long for a Unix socket, TimeoutError if no process accepts in time, and
    /// SystemError if the connection fails otherwise. All name the path.
    static LocalSocket connect(const std::string& path, std::chrono::milliseconds deadline);

    [[nodiscard]] int fd() const { return fd_.get(); }
    explicit operator bool() const { return static_cast<bool>(fd_); }

    /// Sends one frame, with file descriptors if any. Waits at most `deadline` for room, then
    /// throws TimeoutError. Throws SystemError when the peer has closed (never raises SIGPIPE).
    void send(const std::string& frame, const std::vector<int>& fds = {},
              std::chrono::milliseconds deadline = std::chrono::seconds(5));

    /// Returns the next message. Waits at most `deadline`, then returns nothing. Throws SystemError
    /// at the end of the connection, and InputError on a bad frame. If `fds` is given, appends all
    /// file descriptors that have arrived to it. Otherwise keeps them for a later call, because
    /// they may belong to a later message.
    std::optional<Message> receive(std::chrono::milliseconds deadline,
                                   std::vector<Fd>* fds = nullptr);

    void close() { fd_.reset(); }

  private:
    Fd fd_;
    FrameReader reader_;
    std::vector<Fd> passed_;
};

}  // namespace ductile::wire
