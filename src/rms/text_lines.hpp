// Lines of text, and their fields, which '|' separates. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace ductile::rms {

/// Calls `each` with every line that is not empty.
template <class Each>
void for_each_line(std::string_view text, Each each) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end > 0) each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// Returns the text before the next '|', and removes it and this '|' from the line. None if there
/// is no '|'.
inline std::optional<std::string_view> take_field(std::string_view& line) {
    const auto end = line.find('|');
    if (end == std::string_view::npos) return std::nullopt;
    const auto field = line.substr(0, end);
    line.remove_prefix(end + 1);
    return field;
}

}  // namespace ductile::rms
