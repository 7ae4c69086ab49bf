// Frames that wait to be written to a Unix socket, with the descriptors that they pass.
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
        some,    ///< the socket accepts no more at the moment
        failed,  ///< the socket accepts nothing any more
    };

    void add(const std::string& frame, wire::Fd descriptor);
    /// The bytes of all frames that are not written completely yet.
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
