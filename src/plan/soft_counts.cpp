#include "plan/soft_counts.hpp"

#include <algorithm>
#include <charconv>

namespace ductile::plan {

namespace {

constexpr std::int64_t above_all = 1'000'000'000'000'000;  // sums and differences fit

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    const bool whole = read.ec == std::errc() && read.ptr == end;
    if (!whole || value <= -above_all || value >= above_all) return std::nullopt;
    return value;
}

/// The text before the separator. `rest` becomes nullopt after the last word.
std::string_view next_word(std::optional<std::string_view>& rest, char separator) {
    const auto word = rest->substr(0, rest->find(separator));
    if (word.size() == rest->size())
        rest.reset();
    else
        rest->remove_prefix(word.size() + 1);
    return trimmed(word);
}

}  // namespace

std::variant<SoftCounts, std::string> SoftCounts::parse(std::string_view text) {
    SoftCounts counts;
    for (std::optional rest = text; rest;) {
        const auto word = next_word(rest, ',');
        const auto range = parse_range(word);
        if (!range)
            return "'" + std::string(word) +
                   "' is no number a, no range a:b, and no range with a step, a:b:c";
        counts.ranges_.push_back(*range);
    }
    return counts;
}

std::optional<SoftCounts::Range> SoftCounts::parse_range(std::string_view word) {
    std::vector<std::int64_t> numbers;
    for (std::optional rest = word; rest;) {
        const auto number = parse_number(next_word(rest, ':'));
        if (!number || numbers.size() == 3) return std::nullopt;
        numbers.push_back(*number);
    }
    const auto from = numbers.front();
    const auto to = numbers.size() > 1 ? numbers[1] : from;
    const auto step = numbers.size() > 2 ? numbers[2] : 1;
    if (step == 0 || (to > from && step < 0) || (to < from && step > 0)) return std::nullopt;
    const auto end = from + (to - from) / step * step;
    return Range{std::min(from, end), std::max(from, end), step < 0 ? -step : step};
}

std::optional<int> SoftCounts::largest_up_to(int most) const {
    std::optional<std::int64_t> largest;
    for (const auto& range : ranges_) {
        if (range.first > most) continue;
        const auto steps = (std::min<std::int64_t>(range.last, most) - range.first) / range.step;
        largest = std::max(largest, std::optional(range.first + steps * range.step));
    }
    if (!largest || *largest < 0) return std::nullopt;
    return static_cast<int>(*largest);
}

}  // namespace ductile::plan
