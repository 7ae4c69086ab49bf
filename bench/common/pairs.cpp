#include "common/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

std::optional<int> number_up_to(int most, const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > most)
        return std::nullopt;
    return value;
}

int size_in(const std::string& text, const std::string& word, int most) {
    const auto size = number_up_to(most, text);
    if (!size)
        throw InputError(
            fmt::format("'{}' is not a pair of sizes FROM:TO, each from 1 to {}", word, most));
    return *size;
}

}  // namespace

std::vector<Pair> pairs_in(const std::string& text, int most) {
    std::vector<Pair> pairs;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const auto colon = word.find(':');
        const auto second = colon == std::string::npos ? "" : word.substr(colon + 1);
        const int a = size_in(word.substr(0, colon), word, most);
        const int b = size_in(second, word, most);
        if (a == b) throw InputError("'" + word + "' does not change the size");
        pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    return pairs;
}

std::vector<Pair> all_pairs(const std::vector<int>& sizes) {
    std::vector<Pair> pairs;
    for (const int a : sizes)
        for (const int b : sizes)
            if (a < b) pairs.push_back({a, b});
    return pairs;
}

int number_in(const std::string& text, const char* option, int most) {
    const auto value = number_up_to(most, text);
    if (!value)
        throw InputError(
            fmt::format("{}: must be a number from 1 to {}, not '{}'", option, most, text));
    return *value;
}

}  // namespace ductile::bench
