// Splits a stream of bytes into whole lines. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::agent {

/// What ends a piece of the stream, beside a line that has become too long.
enum class LineEnd {
    newline,
    newline_or_return  ///< a carriage return, too: a progress bar; "\r\n" is one end
};

/// Collects bytes and yields whole lines. Also yields an incomplete line if it has `max_line` bytes
/// or more. add("ab\ncd") yields "ab\n", rest() then yields "cd".
class Lines {
  public:
    explicit Lines(std::size_t max_line) : max_line_(max_line) {}

    /// Adds bytes, and returns all lines that are complete now, with their ends. A carriage return
    /// at the end of the bytes waits for the byte after it.
    std::string add(std::string_view bytes, LineEnd end = LineEnd::newline);
    [[nodiscard]] bool has_partial() const { return !partial_.empty(); }
    /// Takes what is there of the incomplete line, except a UTF-8 character that is not complete.
    std::string partial();
    /// The incomplete last line, when the stream has ended.
    std::string rest();

  private:
    std::size_t max_line_;
    std::string partial_;
};

}  // namespace ductile::agent
