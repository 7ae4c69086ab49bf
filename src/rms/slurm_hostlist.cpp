#include "rms/slurm_hostlist.hpp"

#include <algorithm>

#include "ductile/error.hpp"
#include "rms/hosts_file.hpp"
#include "rms/whole_number.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_digits = 9;

using Names = std::vector<std::string>;

[[noreturn]] void refuse_hosts(std::string_view text, const std::string& why) {
    throw InputError("a list of hosts from Slurm is refused: '" +
                     wire::printable(text.substr(0, 64)) + "' " + why);
}

/// Splits a text at the commas that are outside brackets.
std::vector<std::string_view> items_of(std::string_view text) {
    std::vector<std::string_view> items;
    bool in_brackets = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' || text[i] == ']') {
            if (in_brackets == (text[i] == '['))
                refuse_hosts(text, "has brackets that do not match");
            in_brackets = !in_brackets;
        } else if (text[i] == ',' && !in_brackets) {
            items.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    if (in_brackets) refuse_hosts(text, "has brackets that do not match");
    items.push_back(text.substr(begin));
    return items;
}

struct Range {
    int low = 0, high = 0;
    std::size_t width = 0;  ///< how many digits the lower number has
};

int host_number(std::string_view digits, std::string_view whole) {
    const auto number = whole_number<int>(digits);
    if (!number || digits.size() > max_digits)
        refuse_hosts(whole, "has a range without valid numbers (1 to 9 digits)");
    return *number;
}

/// The ranges in a text such as "01-03,7".
std::vector<Range> ranges_of(std::string_view text) {
    std::vector<Range> ranges;
    for (const auto item : items_of(text)) {
        const auto dash = item.find('-');
        const auto low = item.substr(0, dash);
        const int first = host_number(low, text);
        const int last =
            dash == std::string_view::npos ? first : host_number(item.substr(dash + 1), text);
        if (last < first) refuse_hosts(text, "has a range that ends before it begins");
        ranges.push_back({first, last, low.size()});
    }
    return ranges;
}

std::string padded(int number, std::size_t width) {
    auto digits = std::to_string(number);
    digits.insert(0, width - std::min(width, digits.size()), '0');
    return digits;
}

/// Each of `beginnings`, followed by each number.
Names with_numbers(const Names& beginnings, const std::vector<Range>& ranges,
                   std::string_view whole) {
    Names names;
    for (const auto& beginning : beginnings)
        for (const auto& range : ranges)
            for (int number = range.low; number <= range.high; ++number) {
                if (names.size() == max_hosts) refuse_hosts(whole, "has more than 4096 hosts");
                names.push_back(beginning + padded(number, range.width));
            }
    return names;
}

/// The names of one item, such as rack[1-2]node[01-16].
Names expand_item(std::string_view item) {
    Names names{""};
    for (auto rest = item; !rest.empty();) {
        const auto open = std::min(rest.find('['), rest.size());
        for (auto& name : names) name += rest.substr(0, open);
        rest.remove_prefix(open);
        if (rest.empty()) break;
        const auto close = rest.find(']');
        names = with_numbers(names, ranges_of(rest.substr(1, close - 1)), item);
        rest.remove_prefix(close + 1);
    }
    return names;
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text) {
    if (text.size() > max_text_bytes) refuse_hosts(text, "is longer than 64 KiB");
    Names hosts;
    for (const auto item : items_of(text)) {
        auto names = expand_item(item);
        for (auto& name : names) {
            if (!is_host_name(name)) refuse_hosts(name, "is no host name");
            if (hosts.size() == max_hosts) refuse_hosts(text, "has more than 4096 hosts");
            hosts.push_back(std::move(name));
        }
    }
    return hosts;
}

int count_numbers(std::string_view text) {
    if (text.size() > max_text_bytes) refuse_hosts(text, "is longer than 64 KiB");
    long long count = 0;
    for (const auto& range : ranges_of(text)) count += range.high - range.low + 1LL;
    if (count > max_slots) refuse_hosts(text, "has more than 1048576 numbers");
    return static_cast<int>(count);
}

}  // namespace ductile::rms
