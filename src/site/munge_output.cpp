#include "site/munge_output.hpp"

#include <algorithm>
#include <charconv>

#include "ductile/error.hpp"
#include "wire/printable.hpp"

namespace ductile::site {

namespace {

constexpr std::size_t most_shown = 64;

[[noreturn]] void refuse(std::string_view what, std::string_view output) {
    throw InputError(std::string(what) + " is not understood: '" +
                     wire::printable(output.substr(0, most_shown)) + "'");
}

}  // namespace

std::string parse_sealed(std::string_view output) {
    if (output.ends_with('\n')) output.remove_suffix(1);
    const bool is_one_line =
        std::ranges::none_of(output, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
    if (!output.starts_with("MUNGE:") || !output.ends_with(':') || !is_one_line)
        refuse("what munge writes", output);
    return std::string(output);
}

Opened parse_opened(std::string_view output) {
    constexpr std::string_view key = "UID:", end_of_keys = "\n\n";
    const auto end = output.find(end_of_keys);
    if (end == std::string_view::npos || !output.starts_with(key))
        refuse("what unmunge writes", output);
    auto number = output.substr(key.size(), end - key.size());
    number.remove_prefix(std::min(number.find_first_not_of(' '), number.size()));
    Opened opened;
    const auto* last = number.data() + number.size();
    const auto read = std::from_chars(number.data(), last, opened.user);
    if (read.ec != std::errc() || read.ptr != last) refuse("what unmunge writes", output);
    opened.payload = output.substr(end + end_of_keys.size());
    return opened;
}

}  // namespace ductile::site
