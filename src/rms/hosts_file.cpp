#include "rms/hosts_file.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "core/text.hpp"
#include "ductile/error.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t max_file_bytes = 1u << 20;
constexpr std::string_view blanks = " \t\r\v\f";
constexpr const char* a_line = "a line is: NAME [slots=N] [max_slots=N]";

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_ipv6(std::string_view text) {
    in6_addr address{};
    return ::inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

/// The words of a line. KEY = VALUE is one word: KEY=VALUE.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    bool joins = false;
    for (;;) {
        const auto begin = line.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const auto word = line.substr(0, line.find_first_of(blanks));
        line.remove_prefix(word.size());
        if (!words.empty() && (joins || word.front() == '='))
            words.back() += word;
        else
            words.emplace_back(word);
        joins = word.back() == '=';
    }
}

/// One line of the list.
struct Line {
    std::string name;
    std::optional<int> slots, max_slots;
};

/// Reads one line. `place` is how its errors begin.
class LineReader {
  public:
    LineReader(std::string place, std::vector<std::string> words)
        : place_(std::move(place)), words_(std::move(words)) {}

    Line read() {
        refuse_parallel_environment();
        read_name();
        for (std::size_t i = 1; i < words_.size(); ++i) read_setting(words_[i]);
        if (line_.max_slots && line_.slots.value_or(1) > *line_.max_slots)
            fail("slots=" + std::to_string(line_.slots.value_or(1)) +
                 " is more than max_slots=" + std::to_string(*line_.max_slots));
        return std::move(line_);
    }

  private:
    [[noreturn]] void fail(const std::string& why) const { throw InputError(place_ + why); }
    static std::string quoted(std::string_view word) {
        return "'" + std::string(word.substr(0, 64)) + "'";
    }

    // $PE_HOSTFILE of Grid Engine: host, slots, queue, processors.
    void refuse_parallel_environment() const {
        if (words_.size() != 4 || !is_number(words_[1])) return;
        fail(
            "this is a line of Grid Engine's $PE_HOSTFILE; write NAME slots=N, for example by: "
            "awk '{print $1 \" slots=\" $2}' $PE_HOSTFILE");
    }

    void read_name() {
        std::string_view name = words_[0];
        if (name.find_first_of("@,%") != std::string_view::npos) refuse_name(name);
        if (name.front() == '[')
            name = read_brackets(name);
        else if (!is_ipv6(name) && std::ranges::count(name, ':') > 0)
            name = read_count(name, name.find(':'));
        if (!is_host_name(name)) refuse_name(name);
        line_.name = name;
    }

    /// [ADDRESS] or [ADDRESS]:COUNT.
    std::string_view read_brackets(std::string_view word) {
        const auto end = word.find(']');
        const auto inner = word.substr(1, std::min(end, word.size()) - 1);
        const bool has_count = end + 1 < word.size() && word[end + 1] == ':';
        if (end == std::string_view::npos || !is_ipv6(inner) ||
            (end + 1 < word.size() && !has_count))
            fail(quoted(word) + " is not [ADDRESS] or [ADDRESS]:COUNT, with an IPv6 address");
        if (!has_count) return inner;
        read_count(word, end + 1);
        return inner;
    }

    /// NAME:COUNT with its colon. Returns the name.
    std::string_view read_count(std::string_view word, std::size_t colon) {
        const auto count = word.substr(colon + 1);
        if (!is_number(count))
            fail(quoted(word) + " is neither NAME, NAME:COUNT nor an IPv6 address");
        line_.slots = number(count, quoted(word) + ": " + std::string(count.substr(0, 32)));
        return word.substr(0, colon);
    }

    [[noreturn]] void refuse_name(std::string_view name) const {
        const auto has = [&name](std::string_view any) {
            return name.find_first_of(any) != std::string_view::npos;
        };
        if (has("@"))
            fail(quoted(name) +
                 " names a user; write the name of the host alone, and the user in "
                 "~/.ssh/config or in --remote-shell");
        if (has(",")) fail(quoted(name) + " is a list; write one host on each line");
        if (has("%"))
            fail(quoted(name) +
                 " has a zone; write the name of the host, or an address that needs no zone");
        if (has("[]{}") && std::ranges::all_of(name, [](unsigned char c) { return c > ' '; }))
            fail(quoted(name) +
                 " is a range of names; write one host on each line (under Slurm, "
                 "`scontrol show hostnames` writes them)");
        fail(quoted(name) + " is not a host name");
    }

    void read_setting(std::string_view word) {
        const auto equals = word.find('=');
        const auto key = core::lower_case(word.substr(0, equals));
        const auto value =
            equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
        if (equals == std::string_view::npos && is_number(word))
            fail(quoted(word) + " is not understood; slots are written slots=N");
        if (equals == std::string_view::npos) fail(quoted(word) + " is not understood; " + a_line);
        if (key == "slots")
            set(line_.slots, value, word);
        else if (key == "max_slots" || key == "max-slots")
            set(line_.max_slots, value, word);
        else if (key == "cpu" || key == "cpus" || key == "np" || key == "ppn")
            fail(quoted(word) + " is not understood; write slots=N");
        else if (key == "user" || key == "username")
            fail(quoted(word) + " names a user; write it in ~/.ssh/config or in --remote-shell");
        else if (key == "binding" || key == "bind")
            fail(quoted(word) +
                 " is not understood: Ductile binds no ranks to cores; leave it out");
        else
            fail(quoted(word) + " is not understood; " + a_line);
    }

    void set(std::optional<int>& setting, std::string_view value, std::string_view word) const {
        if (setting) fail(quoted(word) + " gives a number that the line has given already");
        setting = number(value, std::string(word.substr(0, 64)));
    }

    [[nodiscard]] int number(std::string_view text, const std::string& shown) const {
        int value = 0;
        const auto* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        if (read.ec != std::errc{} || read.ptr != end || value < 1 || value > max_slots)
            fail(shown + " is not a number from 1 to " + std::to_string(max_slots));
        return value;
    }

    std::string place_;
    std::vector<std::string> words_;
    Line line_;
};

/// The hosts that the lines so far have named.
class HostList {
  public:
    void add(Line line, const std::string& place) {
        const auto fail = [&place, &line](const std::string& why) {
            throw InputError(place + "host " + line.name + " " + why);
        };
        const auto [found, is_new] = named_.try_emplace(
            core::lower_case(line.name), Named{allocation_.hosts.size(), line.slots.has_value()});
        if (is_new) {
            if (allocation_.hosts.size() == max_hosts)
                throw InputError(place + "more than " + std::to_string(max_hosts) + " hosts");
            allocation_.hosts.push_back(
                {line.name, line.slots.value_or(1), line.max_slots.value_or(0)});
            return;
        }
        auto& host = allocation_.hosts[found->second.index];
        if (found->second.has_number != line.slots.has_value())
            fail(
                "is named with and without its slots; name it once for each slot, or give numbers "
                "that are added");
        if (line.max_slots && host.max_slots != 0 && *line.max_slots != host.max_slots)
            fail("has two numbers as max_slots: " + std::to_string(host.max_slots) + " and " +
                 std::to_string(*line.max_slots));
        if (line.max_slots) host.max_slots = *line.max_slots;
        host.slots += line.slots.value_or(1);
        if (host.slots > max_slots) fail("has more than " + std::to_string(max_slots) + " slots");
        if (host.max_slots != 0 && host.slots > host.max_slots)
            fail("has now " + std::to_string(host.slots) +
                 " slots, more than its max_slots=" + std::to_string(host.max_slots));
    }
    core::Allocation take() { return std::move(allocation_); }

  private:
    struct Named {
        std::size_t index;
        bool has_number;
    };
    core::Allocation allocation_;
    std::map<std::string, Named> named_;
};

void refuse_other_texts(std::string_view text, const std::string& file) {
    if (text.find('\0') != std::string_view::npos)
        throw InputError(file + ":1: the list has a zero byte; write it in UTF-8, not in UTF-16");
    const auto end = text.find('\r');
    if (end != std::string_view::npos && end + 1 < text.size() &&
        text.find('\n') == std::string_view::npos)
        throw InputError(file +
                         ":1: the lines end in CR alone; make them end in LF: tr '\\r' '\\n'");
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
    HostList hosts;
    text = core::without_byte_order_mark(text);
    refuse_other_texts(text, file);
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        auto words = words_of(line.substr(0, line.find('#')));
        if (words.empty()) continue;
        const auto place = file + ":" + std::to_string(number) + ": ";
        hosts.add(LineReader(place, std::move(words)).read(), place);
    }
    auto allocation = hosts.take();
    if (allocation.hosts.empty()) throw InputError(file + ":1: the list names no host");
    return allocation;
}

core::Allocation read_hosts_file(const std::string& path) {
    const bool is_standard_input = path == "-";
    const std::string name = is_standard_input ? "the standard input" : path;
    std::ifstream file;
    const auto fail = [&name] {
        throw InputError("cannot read the host list " + name + ": " + std::strerror(errno));
    };
    errno = EIO;  // if nothing says more
    if (!is_standard_input) file.open(path, std::ios::binary);
    if (!file) fail();
    std::istream& in = is_standard_input ? std::cin : file;
    std::string text(max_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (in.bad() || (is_standard_input && std::ferror(stdin) != 0)) fail();
    if (text.size() > max_file_bytes) throw InputError(name + ":1: the list is larger than 1 MiB");
    return parse_hosts(text, name);
}

}  // namespace ductile::rms
