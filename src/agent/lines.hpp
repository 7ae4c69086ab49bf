// Splits a stream of bytes into whole lines. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ductile::agent {

/// Collects bytes and yields whole lines. Also yields an incomplete line if it has `max_line` bytes
/// or more. add("ab\ncd") yields "ab\n", rest() then yields "cd".
class Lines {
  public:
    explicit Lines(std::size_t max_line) : max_line_(max_line) {}

    /// Adds bytes, and returns all lines that are complete now, with their newlines.
    std::string add(std::string_view bytes) {
        const std::size_t last = bytes.rfind('\n');
        std::string whole;
        if (last != std::string_view::npos) {
            whole = std::exchange(partial_, {});
            whole += bytes.substr(0, last + 1);
            bytes.remove_prefix(last + 1);
        }
        partial_ += bytes;
        if (partial_.size() >= max_line_) whole += std::exchange(partial_, {});
        return whole;
    }
    /// The incomplete last line, when the stream has ended.
    std::string rest() { return std::exchange(partial_, {}); }

  private:
    std::size_t max_line_;
    std::string partial_;
};

}  // namespace ductile::agent
