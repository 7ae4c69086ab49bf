// Makes text from outside safe to show on a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::wire {

/// Returns `text` with "\xNN" in place of each byte that is not valid UTF-8, and of each control
/// character except newline and tab. So a terminal finds no command in it. The control characters
/// are those of Unicode's class Cc and the marks that change the direction of text (U+202A..U+202E,
/// U+2066..U+2069).
[[nodiscard]] std::string printable(std::string_view text);

/// Returns `text` with a blank in place of each ASCII control character, newlines included. For
/// text from outside that becomes a part of one line for a person.
[[nodiscard]] std::string on_one_line(std::string text);

}  // namespace ductile::wire
