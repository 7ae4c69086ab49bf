// Frames: four bytes of length, lowest byte first, then as many bytes of CBOR. Pure: bytes in,
// messages out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/limits.hpp"
#include "wire/message.hpp"

namespace ductile::wire {

/// One frame that holds `message`. Throws Error when the frame would be larger than
/// limits::frame_bytes.
std::string to_frame(const Message& message);

template <class... Types>
std::string to_frame(const std::variant<Types...>& message) {
    return to_frame(encode(message));
}

/// Collects bytes as they arrive, and yields whole messages. Throws InputError if a length is above
/// the limit, or if bytes are not CBOR. The caller then closes the connection.
class FrameReader {
  public:
    explicit FrameReader(std::size_t max_bytes = limits::frame_bytes) : max_bytes_(max_bytes) {}
    void add(std::string_view bytes) { buffer_.append(bytes); }
    std::optional<Message> next();

  private:
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t max_bytes_;
};

}  // namespace ductile::wire
