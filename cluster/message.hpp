// What commands and a cluster's init say to each other over its Unix socket: frames of a length and
// that many bytes, the first of which may carry open files.
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

/// A request: words without a NUL. The first is the verb.
using Words = std::vector<std::string>;
std::string join(const Words& words);
/// Throws InputError unless the payload came from join.
Words split(std::string_view payload);

/// The first byte of a reply says what the rest is.
enum class Reply : char {
    data = 'D',     ///< done; JSON follows, or nothing
    error = 'E',    ///< refused, unchanged; the message follows
    started = 'S',  ///< exec: the command is about to run
    exited = 'X',   ///< exec: it ended; its exit code follows in decimal
};

/// Sends a frame, with `files`. Throws SystemError when the other side is gone or does not read for
/// 10 s.
void send_frame(int socket, std::string_view payload, std::span<const int> files = {});
void send_reply(int socket, Reply kind, std::string_view rest = {});

/// Collects what arrives on a socket until it makes a frame.
class FrameReader {
  public:
    /// Reads what is there, without waiting. False at the end of the stream. Throws InputError when
    /// a bound is passed.
    bool read(int socket);
    std::optional<std::string> next();
    /// The files that came along.
    std::vector<Descriptor> take_files() { return std::exchange(files_, {}); }

  private:
    std::string buffer_;
    std::vector<Descriptor> files_;
};

}  // namespace ductile::cluster
