// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "ductile/error.hpp"

/// Each target defines this function. libFuzzer calls it with one input after the other,
/// replay_main.cpp with the known inputs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ductile::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// What `parse` returns, or nothing when it refuses its input by an Error. Any other exception ends
/// the program.
template <class Parse>
auto unless_refused(const Parse& parse) -> std::optional<decltype(parse())> {
    try {
        return parse();
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Ends the program when a property does not hold.
inline void expect(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "this does not hold: %s\n", property);
    std::abort();
}

}  // namespace ductile::fuzz
