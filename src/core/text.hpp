// What several readers of text need.
#pragma once

#include <string>
#include <string_view>

namespace ductile::core {

/// ASCII alone: host names and keys have no other capitals.
inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Some editors begin a file of UTF-8 with this mark. It is no part of the text.
inline std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace ductile::core
