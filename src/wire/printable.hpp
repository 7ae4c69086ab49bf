// Text from outside, as it may be shown on a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::wire {

/// `text` with each control character but the newline and the tab, and each byte that is not part
/// of valid UTF-8, as "\xNN": no terminal takes it for a command. The control characters are those
/// of Unicode's class Cc and the marks that change the direction of text (U+202A..U+202E,
/// U+2066..U+2069).
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace ductile::wire
