// The messages between commands and a cluster's init, over the Unix socket of the init. A message
// is one frame: a length, and then as many bytes. Descriptors of open files may come with the first
// byte.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

inline constexpr std::size_t max_frame_bytes =
    std::size_t{4} << 20;  ///< above Linux's default limit for arguments + environment
inline constexpr std::size_t max_frame_files = 3;

/// A request: words without a NUL. The first word is the verb.
using Words = std::vector<std::string>;
std::string join(const Words& words);
/// The reverse of join. Throws InputError if the payload does not come from join.
Words split(std::string_view payload);

/// The first byte of a reply gives the meaning of the rest.
enum class Reply : char {
    data = 'D',     ///< done; JSON follows, or nothing
    error = 'E',    ///< refused or failed; the error message follows
    started = 'S',  ///< exec: the command is about to run
    exited = 'X',   ///< exec: the command ended; its exit code follows in decimal
};

/// Sends a frame, with the descriptors `files`. Throws SystemError if the receiver is gone or reads
/// nothing for 10 s, and InputError if the payload is longer than max_frame_bytes.
void send_frame(int socket, std::string_view payload, std::span<const int> files = {});
void send_reply(int socket, Reply kind, std::string_view rest = {});

/// Collects bytes from a socket until they make a frame.
class FrameReader {
  public:
    /// Reads available bytes without waiting. False at the end of the stream, or if the read fails.
    /// Throws InputError if too many files have arrived.
    bool read(int socket);
    /// The next whole frame, if there is one. Throws InputError if the frame is too long.
    std::optional<std::string> next();
    /// The files that have arrived with the bytes.
    std::vector<Descriptor> take_files() { return std::exchange(files_, {}); }

  private:
    std::string buffer_;
    std::vector<Descriptor> files_;
};

}  // namespace ductile::cluster
