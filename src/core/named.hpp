// Enumerations by the names of their values.
#pragma once

#include <optional>
#include <string_view>

namespace ductile::core {

/// The one of these values whose to_string() is `name`.
template <class Values>
std::optional<typename Values::value_type> named(const Values& values, std::string_view name) {
    for (const auto value : values)
        if (to_string(value) == name) return value;
    return std::nullopt;
}

}  // namespace ductile::core
