// Frames on their way into a Unix socket, with the descriptors that go along.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "wire/local_socket.hpp"

namespace ductile::agent {

/// Never blocks.
class FrameQueue {
  public:
    enum class Written {
        all,
        some,    ///< the socket takes no more at the moment
        failed,  ///< nobody will read any more
    };

    void add(const std::string& frame, wire::Fd descriptor);
    /// What the socket has not taken; a frame counts until the last of it is taken.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    Written write_to(int socket);
    void clear();

  private:
    struct Frame {
        std::string bytes;
        wire::Fd descriptor;
    };
    std::deque<Frame> frames_;
    std::size_t bytes_ = 0, sent_of_first_ = 0;
};

}  // namespace ductile::agent
