#include "agent/lines.hpp"

#include <algorithm>
#include <utility>

namespace ductile::agent {

namespace {

/// The number of bytes that follow a byte which begins a UTF-8 character.
std::size_t bytes_after(unsigned char first) {
    if (first >= 0xf0 && first < 0xf8) return 3;
    if (first >= 0xe0 && first < 0xf0) return 2;
    return first >= 0xc0 && first < 0xe0 ? 1 : 0;
}

/// The length of the text without a UTF-8 character at its end whose last bytes are missing.
std::size_t whole_characters(std::string_view text) {
    constexpr std::size_t most_missing = 3;
    for (std::size_t back = 1; back <= std::min(most_missing, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (byte < 0x80) break;  // ASCII
        if (byte >= 0xc0)        // a first byte
            return bytes_after(byte) >= back ? text.size() - back : text.size();
    }
    return text.size();
}

/// The length of the part that ends with the last end of a line; 0: there is none.
std::size_t whole_lines(std::string_view text, LineEnd end) {
    const auto after = [](std::size_t at) { return at == std::string_view::npos ? 0 : at + 1; };
    const auto newline = after(text.rfind('\n'));
    if (end == LineEnd::newline || text.size() < 2) return newline;
    return std::max(newline, after(text.rfind('\r', text.size() - 2)));
}

}  // namespace

std::string Lines::add(std::string_view bytes, LineEnd end) {
    // A carriage return may wait at the end of what is there.
    const bool return_waits = partial_.ends_with('\r') && !bytes.empty();
    const auto length = whole_lines(bytes, end);
    std::string whole;
    if (length > 0) {
        whole = std::exchange(partial_, {});
        whole += bytes.substr(0, length);
        bytes.remove_prefix(length);
    } else if (return_waits && end == LineEnd::newline_or_return) {
        whole = std::exchange(partial_, {});
    }
    partial_ += bytes;
    if (partial_.size() >= max_line_) whole += partial();
    return whole;
}

std::string Lines::partial() {
    const auto length = whole_characters(partial_);
    auto text = partial_.substr(0, length);
    partial_.erase(0, length);
    return text;
}

std::string Lines::rest() {
    return std::exchange(partial_, {});
}

}  // namespace ductile::agent
