#include "rms/slurm_time.hpp"

#include <string>
#include <vector>

#include "ductile/error.hpp"
#include "rms/whole_number.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t max_time_digits = 6;
constexpr int seconds_per_minute = 60, minutes_per_hour = 60, hours_per_day = 24;

std::optional<long long> time_number(std::string_view digits) {
    return digits.size() > max_time_digits ? std::nullopt : whole_number<long long>(digits);
}

/// The numbers in a text such as "2:03:04". None for other texts.
std::vector<long long> time_numbers(std::string_view text) {
    std::vector<long long> numbers;
    for (bool more = true; more;) {
        const auto colon = text.find(':');
        more = colon != std::string_view::npos;
        const auto number = time_number(text.substr(0, colon));
        if (!number) return {};
        numbers.push_back(*number);
        if (more) text.remove_prefix(colon + 1);
    }
    return numbers;
}

}  // namespace

std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text) {
    if (text == "UNLIMITED") return std::nullopt;
    const auto dash = text.find('-');
    const bool has_days = dash != std::string_view::npos;
    const auto days = has_days ? time_number(text.substr(0, dash)) : 0;
    auto numbers = time_numbers(has_days ? text.substr(dash + 1) : text);
    const bool is_whole =
        has_days ? numbers.size() == 3 : numbers.size() == 2 || numbers.size() == 3;
    if (!days || !is_whole)
        throw InputError("'" + wire::printable(text.substr(0, 32)) +
                         "' is not a time in Slurm's format, such as 1-02:03:04");
    if (numbers.size() == 2) numbers.insert(numbers.begin(), 0);
    const auto hours = *days * hours_per_day + numbers[0];
    const auto minutes = hours * minutes_per_hour + numbers[1];
    return std::chrono::seconds(minutes * seconds_per_minute + numbers[2]);
}

}  // namespace ductile::rms
