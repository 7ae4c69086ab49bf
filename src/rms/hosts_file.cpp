#include "rms/hosts_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "ductile/error.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t max_file_bytes = 1u << 20;

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r\v\f";
    std::vector<std::string_view> words;
    for (;;) {
        const auto begin = line.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const auto end = std::min(line.find_first_of(blanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

int parse_slots(std::string_view text, const std::string& place) {
    int slots = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
    if (error != std::errc{} || end != text.data() + text.size() || slots < 1 || slots > max_slots)
        throw InputError(place + "slots=" + std::string(text.substr(0, 32)) +
                         " is not a number from 1 to " + std::to_string(max_slots));
    return slots;
}

core::Host parse_host(const std::vector<std::string_view>& words, const std::string& place) {
    const std::string name(words[0].substr(0, max_name_bytes + 1));
    if (!is_host_name(words[0])) throw InputError(place + "'" + name + "' is not a host name");
    core::Host host{name, 1};
    bool given = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        constexpr std::string_view key = "slots=";
        if (!words[i].starts_with(key) || given)
            throw InputError(place + "'" + std::string(words[i].substr(0, 64)) +
                             "' is not understood; a line is: name [slots=N]");
        host.slots = parse_slots(words[i].substr(key.size()), place);
        given = true;
    }
    return host;
}

}  // namespace

bool is_host_name(std::string_view name) {
    const auto allowed = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_' || c == ':';
    };
    return !name.empty() && name.size() <= max_name_bytes && name.front() != '-' &&
           std::ranges::all_of(name, allowed);
}

core::Allocation parse_hosts(std::string_view text, const std::string& file) {
    core::Allocation allocation;
    std::set<std::string> names;
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        const auto words = words_of(line);
        if (words.empty()) continue;
        const auto place = file + ":" + std::to_string(number) + ": ";
        auto host = parse_host(words, place);
        if (!names.insert(host.name).second)
            throw InputError(place + "host " + host.name + " is named twice; give its slots once");
        if (allocation.hosts.size() == max_hosts)
            throw InputError(place + "more than " + std::to_string(max_hosts) + " hosts");
        allocation.hosts.push_back(std::move(host));
    }
    if (allocation.hosts.empty()) throw InputError(file + ":1: the list names no host");
    return allocation;
}

core::Allocation read_hosts_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw InputError("cannot read the host list " + path);
    std::string text(max_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (in.bad()) throw InputError("cannot read the host list " + path);
    if (text.size() > max_file_bytes) throw InputError(path + ":1: the list is larger than 1 MiB");
    return parse_hosts(text, path);
}

}  // namespace ductile::rms
