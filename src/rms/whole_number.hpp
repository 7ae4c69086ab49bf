// Parses a text that is nothing but a number. Pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ductile::rms {

/// Accepts decimal digits only, so no negative numbers. None for other texts, and for a number that
/// is too large for the type.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || text.front() == '-' || error != std::errc{} ||
        end != text.data() + text.size())
        return std::nullopt;
    return number;
}

}  // namespace ductile::rms
