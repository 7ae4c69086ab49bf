#include "check/mode.hpp"

#include <charconv>
#include <string_view>

#include "ductile/error.hpp"

namespace ductile::check {

namespace {

constexpr double most_seconds = 1e6;

std::chrono::milliseconds patience_from(std::string_view text) {
    double seconds = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        !(seconds >= 0.1 && seconds <= most_seconds))
        throw InputError("DUCTILE_CHECK_AFTER in the environment is '" + std::string(text) +
                         "', not a number of seconds from 0.1 to 1000000");
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

Mode read_mode(const char* check, const char* after) {
    Mode mode;
    const std::string_view word = check == nullptr ? "0" : check;
    if (word != "0" && word != "1" && word != "report")
        throw InputError("DUCTILE_CHECK in the environment is '" + std::string(word) +
                         "', not one of: 0, 1, report");
    mode.on = word != "0";
    mode.ends = word == "1";
    if (after != nullptr) mode.patience = patience_from(after);
    return mode;
}

}  // namespace ductile::check
