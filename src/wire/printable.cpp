#include "wire/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace ductile::wire {

namespace {

/// The character at the beginning of a text. `bytes`: its length, 0 if it is not UTF-8.
struct Character {
    std::size_t bytes = 0;
    std::uint32_t code = 0;
};

Character first_of(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (byte(0) < 0x80) return {1, byte(0)};
    const std::size_t bytes = byte(0) < 0xc2   ? 0
                              : byte(0) < 0xe0 ? 2
                              : byte(0) < 0xf0 ? 3
                              : byte(0) < 0xf5 ? 4
                                               : 0;
    if (bytes == 0 || text.size() < bytes) return {};
    std::uint32_t code = byte(0) & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    if (too_long || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
    return {bytes, code};
}

bool is_harmless(std::uint32_t code) {
    if (code == '\n' || code == '\t') return true;
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !control && !direction;
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    while (!text.empty()) {
        const auto character = first_of(text);
        const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
        if (character.bytes != 0 && is_harmless(character.code)) {
            result += text.substr(0, bytes);
        } else {
            for (const char c : text.substr(0, bytes)) {
                const auto byte = static_cast<std::uint8_t>(c);
                result += "\\x";
                result += digits[byte >> 4];
                result += digits[byte & 0xf];
            }
        }
        text.remove_prefix(bytes);
    }
    return result;
}

std::string on_one_line(std::string text) {
    for (auto& c : text)
        if (const auto code = static_cast<unsigned char>(c); code < ' ' || code == 127) c = ' ';
    return text;
}

}  // namespace ductile::wire
