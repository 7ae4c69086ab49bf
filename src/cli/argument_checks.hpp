// Checks of arguments. The refusal says which value was given and which values are allowed (see
// refusal_text).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <vector>

namespace ductile::cli {

/// For CLI::Option::check().
inline CLI::Validator one_of(const std::vector<std::string>& names) {
    return {[names](const std::string& given) {
                if (std::ranges::find(names, given) != names.end()) return std::string();
                return fmt::format("'{}', not one of: {}", given, fmt::join(names, ", "));
            },
            fmt::format("{{{}}}", fmt::join(names, ","))};
}

template <class Number>
CLI::Validator number_from(Number low, Number high) {
    return {[low, high](const std::string& given) {
                Number value{};
                bool is_one = CLI::detail::lexical_cast(given, value);
                if constexpr (std::floating_point<Number>) is_one = is_one && !std::isnan(value);
                if (is_one && low <= value && value <= high) return std::string();
                return fmt::format("'{}', not a {}number from {} to {}", given,
                                   std::floating_point<Number> ? "" : "whole ", low, high);
            },
            fmt::format("[{} - {}]", low, high)};
}

/// The message for an argument that is refused: "--start is 'x', not one of: ...".
inline std::string refusal_text(const CLI::Error& error) {
    std::string text = error.what();
    const auto colon = text.find(": ");
    if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr && colon != std::string::npos)
        text.replace(colon, 2, " is ");
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) text += " (see --help)";
    return "ductile: " + text + "\n";
}

}  // namespace ductile::cli
