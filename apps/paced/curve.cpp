#include "paced/curve.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace paced {
namespace {

constexpr int most_ranks = 1'000'000;
constexpr double longest_s = 1e6;

/// Reads a number from 0 to `most`. Returns false if the text is anything else.
template <class Number>
bool parse(std::string_view text, Number most, Number& number) {
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end && number >= Number{0} && number <= most;
}

}  // namespace

double Curve::seconds(int ranks) const {
    auto next = seconds_.upper_bound(ranks);
    return next == seconds_.begin() ? next->second : std::prev(next)->second;
}

Curve parse_curve(const std::string& text) {
    std::map<int, double> seconds;
    std::istringstream entries(text);
    for (std::string entry; std::getline(entries, entry, ',');) {
        const auto colon = entry.find(':');
        int ranks = 0;
        double time = 0;
        const std::string_view all = entry;
        if (colon == std::string::npos || !parse(all.substr(0, colon), most_ranks, ranks) ||
            !parse(all.substr(colon + 1), longest_s, time) || ranks < 1 ||
            !seconds.emplace(ranks, time).second)
            throw std::invalid_argument(
                "--curve: '" + entry +
                "' is not RANKS:SECONDS, or another entry has the same RANKS");
    }
    if (seconds.empty()) throw std::invalid_argument("--curve is empty");
    return Curve(std::move(seconds));
}

}  // namespace paced
