#include "core/size_range.hpp"

#include <charconv>
#include <optional>

#include "ductile/error.hpp"

namespace ductile::core {

namespace {

std::optional<int> whole_number(std::string_view text) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return number;
}

}  // namespace

std::string to_string(const SizeRange& range) {
    const auto lower = std::to_string(range.lower);
    return range.is_one() ? lower : lower + ":" + std::to_string(range.upper);
}

SizeRange parse_size_range(const std::string& option, std::string_view text, int most) {
    const auto colon = text.find(':');
    const auto lower = whole_number(text.substr(0, colon));
    const auto upper =
        colon == std::string_view::npos ? lower : whole_number(text.substr(colon + 1));
    const auto is_size = [&](std::optional<int> size) {
        return size && *size >= 1 && *size <= most;
    };
    if (!is_size(lower) || !is_size(upper))
        throw InputError(option + " is '" + std::string(text) + "', not a size from 1 to " +
                         std::to_string(most) + ", nor a range of such sizes (as 2:8)");
    if (*lower > *upper)
        throw InputError(option + " is '" + std::string(text) +
                         "': a range begins with its smaller size (" + std::to_string(*upper) +
                         ":" + std::to_string(*lower) + ")");
    return {*lower, *upper};
}

}  // namespace ductile::core
