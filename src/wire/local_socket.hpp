// A Unix socket as ranks, shims and the `ductile` program use it: blocking writes of whole
// frames, reads when poll says so. (Agent and broker use the event loop instead.)
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.hpp"
#include "wire/frame.hpp"

namespace ductile::wire {

using os::Fd;

/// One connected socket. Not thread-safe, except that one thread may send while another receives.
class LocalSocket {
  public:
    LocalSocket() = default;
    explicit LocalSocket(Fd fd) : fd_(std::move(fd)) {}

    /// Connects to the socket at `path`, which must be served by a process of this user's; throws
    /// SystemError that names the path.
    static LocalSocket connect(const std::string& path, std::chrono::milliseconds deadline);

    [[nodiscard]] int fd() const { return fd_.get(); }
    explicit operator bool() const { return static_cast<bool>(fd_); }

    /// Sends one frame, with file descriptors if any. Waits at most `deadline` for room; throws
    /// SystemError when the peer is gone (never raises SIGPIPE).
    void send(const std::string& frame, const std::vector<int>& fds = {},
              std::chrono::milliseconds deadline = std::chrono::seconds(5));

    /// The next message, waiting at most `deadline`; nothing at the deadline. Throws SystemError at
    /// the end of the connection and InputError on a bad frame. File descriptors that have come, be
    /// it with a message that is still unread, are appended to `fds`. Without `fds` they stay for
    /// the next call, 16 at most.
    std::optional<Message> receive(std::chrono::milliseconds deadline,
                                   std::vector<Fd>* fds = nullptr);

    void close() { fd_.reset(); }

  private:
    Fd fd_;
    FrameReader reader_;
    std::vector<Fd> received_;
};

}  // namespace ductile::wire
