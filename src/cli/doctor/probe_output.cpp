#include "cli/doctor/probe_output.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace ductile::cli {
namespace {

constexpr std::size_t longest_trouble = 300;

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
    return lines;
}

void add_fact(std::map<std::string, std::string>& facts, const std::string& key,
              std::string_view value) {
    auto& known = facts[key];
    if (!known.empty()) known += '\n';
    known += value;
}

/// Removes the characters of `kind` from the front of `text`. Returns whether there were any.
template <class Kind>
bool take(std::string_view& text, const Kind& kind) {
    const auto end = std::find_if_not(text.begin(), text.end(), kind);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count > 0;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// Matches a line "f(31)......: reason" of an MPICH error stack, and gives its reason. It does not
/// use std::regex, which recurses once for each character, so a long line exhausts the stack.
bool is_stack_line(std::string_view line, std::string& reason) {
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
    const bool called = take(line, word) && take(line, '(') && take(line, digit) && take(line, ')');
    if (!called) return false;
    take(line, [](char c) { return c == '.'; });
    if (!take(line, ':')) return false;
    take(line, blank);
    if (!line.empty()) reason = line;
    return true;
}

/// Whether a launcher prints this line around every failure, so that it gives no reason.
bool is_noise(const std::string& line) {
    static constexpr std::array<std::string_view, 5> noises = {
        "====", "----", "=   ", "YOUR APPLICATION", "This typically refers"};
    return line.empty() || line.starts_with("Please see the FAQ") ||
           std::any_of(noises.begin(), noises.end(),
                       [&line](std::string_view noise) { return line.starts_with(noise); });
}

std::string shortened(std::string text) {
    if (text.size() > longest_trouble) text = text.substr(0, longest_trouble) + "...";
    return text;
}

/// Adds the reason from the stack below a line such as "MPI_Open_port: Other MPI error, error
/// stack:".
std::string with_reason(const std::string& first, const std::vector<std::string>& lines,
                        std::size_t next) {
    std::string reason;
    for (; next < lines.size() && is_stack_line(lines[next], reason); ++next) {
    }
    if (reason.empty()) return first;
    return first.substr(0, first.find(": ")) + ": " + reason;
}

}  // namespace

std::map<std::string, std::string> facts_in(std::string_view output) {
    std::map<std::string, std::string> facts;
    for (const auto& line : lines_of(output)) {
        static constexpr std::string_view provider = "libfabric provider: ";
        if (line.starts_with("fact ")) {
            const auto key_end = line.find(' ', 5);
            if (key_end != std::string::npos)
                add_fact(facts, line.substr(5, key_end - 5),
                         std::string_view(line).substr(key_end + 1));
        } else if (line.starts_with(provider)) {
            facts["provider"] = line.substr(provider.size(), line.find(" - ") - provider.size());
            facts["netmod"] = "ofi";
        } else if (line.find("UCX netmod Capability") != std::string::npos) {
            facts["netmod"] = "ucx";
        }
    }
    return facts;
}

std::string trouble_in(std::string_view errors) {
    static constexpr std::string_view ours = "probe: ";
    const auto lines = lines_of(errors);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].starts_with(ours))
            return shortened(with_reason(lines[i].substr(ours.size()), lines, i + 1));
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find("error") != std::string::npos)
            return shortened(with_reason(lines[i], lines, i + 1));
    for (const auto& line : lines)
        if (!is_noise(line)) return shortened(line);
    return {};
}

}  // namespace ductile::cli
