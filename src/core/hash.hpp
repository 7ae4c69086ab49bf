// A hash of bytes, to compare them. It does not protect against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ductile::core {

/// Takes eight bytes at a time. A multiplication and a shift mix each word into the hash, so every
/// bit of the word counts.
inline std::uint64_t hash_of(std::span<const std::byte> bytes) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    std::uint64_t hash = bytes.size() * odd;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const auto n = bytes.size() < sizeof(word) ? bytes.size() : sizeof(word);
        std::memcpy(&word, bytes.data(), n);
        bytes = bytes.subspan(n);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 29U;
    }
    return hash;
}

inline std::uint64_t hash_of(std::string_view bytes) {
    return hash_of(std::as_bytes(std::span(bytes)));
}

}  // namespace ductile::core
