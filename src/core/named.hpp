// Values of an enumeration, by their names.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ductile::core {

/// The value whose to_string() is `name`; nullopt if there is none.
template <class Values>
std::optional<typename Values::value_type> named(const Values& values, std::string_view name) {
    for (const auto value : values)
        if (to_string(value) == name) return value;
    return std::nullopt;
}

/// Returns `words`, followed by the names of `values` in order.
template <class Values>
std::vector<std::string_view> words_of(const Values& values,
                                       std::vector<std::string_view> words = {}) {
    for (const auto value : values) words.push_back(to_string(value));
    return words;
}

}  // namespace ductile::core
