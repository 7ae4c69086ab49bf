#include "cli/trees/member_list.hpp"

#include <charconv>
#include <optional>
#include <sstream>

#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

struct Range {
    int first = 0;
    int last = 0;
};

// Parses "7" or "7-9".
std::optional<Range> range_in(const std::string& word) {
    Range range;
    const char* end = word.data() + word.size();
    auto read = std::from_chars(word.data(), end, range.first);
    if (read.ec != std::errc() || range.first < 0) return std::nullopt;
    range.last = range.first;
    if (read.ptr == end) return range;
    if (*read.ptr != '-') return std::nullopt;
    read = std::from_chars(read.ptr + 1, end, range.last);
    if (read.ec != std::errc() || read.ptr != end || range.last < range.first) return std::nullopt;
    return range;
}

}  // namespace

std::vector<bool> members_named(const std::string& option, const std::string& text, int processes) {
    std::vector<bool> members(static_cast<std::size_t>(processes));
    std::istringstream words(text + ",");
    for (std::string word; std::getline(words, word, ',');) {
        const auto range = range_in(word);
        if (!range)
            throw InputError(option + " holds '" + word +
                             "', not a process or a range of processes (as 0,4,7-12)");
        if (range->last >= processes)
            throw InputError(option + " holds '" + word + "', but the " +
                             std::to_string(processes) + " processes are 0 to " +
                             std::to_string(processes - 1) + " (--n)");
        for (int id = range->first; id <= range->last; ++id)
            members[static_cast<std::size_t>(id)] = true;
    }
    return members;
}

}  // namespace ductile::cli
