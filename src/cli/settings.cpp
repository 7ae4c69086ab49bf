#include "cli/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

#include "cli/small_file.hpp"
#include "core/text.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

const std::set<std::string> known_options{"ranks",
                                          "ranks-per-host",
                                          "min",
                                          "max",
                                          "preferred",
                                          "multiple",
                                          "name",
                                          "id-file",
                                          "hosts",
                                          "local",
                                          "rms-command",
                                          "slurm-job",
                                          "shrink-slurm-job",
                                          "slurm-growth",
                                          "hosts-within",
                                          "remote-shell",
                                          "shared-cores",
                                          "tag",
                                          "unbuffered",
                                          "stdin",
                                          "inhibitor-points",
                                          "inhibitor",
                                          "leave-within",
                                          "orphan-limit",
                                          "heartbeat",
                                          "heartbeat-limit",
                                          "progress-within",
                                          "vote-within",
                                          "events",
                                          "mpiexec",
                                          "method",
                                          "start",
                                          "overlap",
                                          "readiness",
                                          "redistribution",
                                          "costs",
                                          "mpi",
                                          "renew-after",
                                          "verify",
                                          "check",
                                          "check-after",
                                          "join",
                                          "memory",
                                          "rank-order",
                                          "redistribute-within",
                                          "policy",
                                          "policy-command",
                                          "policy-every",
                                          "site",
                                          "efficiency",
                                          "efficiency-band",
                                          "measure-efficiency",
                                          "energy-delay",
                                          "host-power",
                                          "power-command",
                                          "measure-energy"};

std::string changed(std::string name, char from, char to) {
    std::replace(name.begin(), name.end(), from, to);
    return name;
}

std::string as_text(const toml::node& node, const std::string& place) {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
    if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    throw InputError(place + " is neither text nor a number nor true or false");
}

std::optional<double> as_real(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

std::string as_written(const broker::OptionValue& value) {
    return std::visit([](const auto& one) { return fmt::format("{}", one); }, value);
}

// The end of the TOML string that begins at `begin`. A string without a closing quote ends with its
// line or with the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\n') return i;
        if (text[i] == quote) return i + 1;
        if (text[i] == '\\' && quote == '"' && text.substr(i, 2) != "\\\n") ++i;
    }
    return text.size();
}

bool is_control(char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && c != '\n' && c != '\t' && c != '\r') || code == 0x7f;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Refuses everything outside of strings and comments that is not a part of `name = value`: lists,
// tables, dates, several words or values on a line, control characters and non-ASCII characters.
// Also refuses strings of several lines. toml++ up to 3.4 must not see any of these, because its
// behaviour is undefined:
// - after a header such as "[[=" (pull request 301 of marzer/tomlplusplus), and in some lists of
//   lists;
// - for most non-ASCII characters at places where it looks for blanks: between words, and after the
//   end of a line in a string;
// - for text that begins like a date.
void refuse_what_is_no_option(std::string_view text, const std::string& file) {
    int number = 1;
    int values = 0;      // on this line
    bool begins = true;  // only blanks since the line or its value began
    bool ended = false;  // a blank followed the line's value
    const auto refuse = [&](const char* why) {
        throw InputError(file + ":" + std::to_string(number) + ": " + why);
    };
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const bool is_blank = c == ' ' || c == '\t' || c == '\r';
        auto end = i + 1;
        if (ended && !is_blank && c != '\n' && c != '#') refuse("a value has several words");
        if (c == '#') {
            end = std::min(text.find('\n', i), text.size());
        } else if (c == '"' || c == '\'') {
            if (!begins) refuse("a quote is within a word or a value");
            if (text.substr(i, 3) == std::string(3, c)) refuse("a text has several lines");
            end = end_of_string(text, i);
        } else if (c == '=' && ++values > 1) {
            refuse("a line has two values");
        } else if (c == '[' && begins && values == 0) {
            refuse("a table; write the options without one: name = value");
        } else if (c == '[' || c == '{') {
            refuse("an option is neither a list nor a table");
        } else if (values > 0 && (c == ':' || (c == '-' && is_digit(text[i - 1])))) {
            refuse("an option is neither a date nor a time; a text needs quotes");
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            refuse("a character is not ASCII");
        } else if (is_control(c)) {
            refuse("a character is a control character");
        }
        if (c == '\n') {
            ++number;
            values = 0;
        }
        ended = c != '\n' && c != '=' && (ended || (is_blank && values > 0 && !begins));
        begins = c == '\n' || c == '=' || (begins && (c == ' ' || c == '\t'));
        i = end;
    }
}

}  // namespace

std::map<std::string, Given> parse_values(std::string_view text, const std::string& file,
                                          const std::set<std::string>& known) {
    text = core::without_byte_order_mark(text);
    refuse_what_is_no_option(text, file);
    std::map<std::string, Given> values;
    try {
        for (const auto& [key, node] : toml::parse(text, file)) {
            const std::string name = changed(std::string(key.str()), '_', '-');
            const std::string place = file + ":" + std::to_string(node.source().begin.line) + ": " +
                                      std::string(key.str());
            if (!known.contains(name)) throw InputError(place + " is not known");
            auto value = as_text(node, place);
            if (value.empty())
                throw InputError(place + " is empty; leave it out, or give it a value");
            values[name] = {std::move(value), broker::Origin::file, place};
        }
    } catch (const toml::parse_error& error) {
        throw InputError(file + ":" + std::to_string(error.source().begin.line) + ": " +
                         std::string(error.description()));
    }
    return values;
}

std::map<std::string, Given> parse_options(std::string_view text, const std::string& file) {
    return parse_values(text, file, known_options);
}

Settings::Settings(std::map<std::string, std::string> command_line, const std::string& file)
    : command_line_(std::move(command_line)) {
    const char* named = std::getenv("DUCTILE_CONFIG");
    const std::string path = !file.empty() ? file : named != nullptr ? named : "";
    if (!path.empty()) file_ = parse_options(read_small_file(path, "options"), path);
}

Settings::Settings(const broker::JobOptions& asked) : elsewhere_counts_(false) {
    for (const auto& [name, setting] : asked)
        if (setting.origin != broker::Origin::standard)
            command_line_[name] = as_written(setting.value);
}

std::optional<Given> Settings::find(const std::string& name) const {
    if (const auto it = command_line_.find(name); it != command_line_.end())
        return Given{it->second, broker::Origin::command_line, "--" + name};
    if (!elsewhere_counts_) return std::nullopt;
    std::string variable = "DUCTILE_" + changed(name, '-', '_');
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const char* value = std::getenv(variable.c_str()); value != nullptr && *value != '\0')
        return Given{value, broker::Origin::environment, variable + " in the environment"};
    if (const auto it = file_.find(name); it != file_.end()) return it->second;
    return std::nullopt;
}

template <class T>
broker::Setting<T> Settings::noted(const std::string& name, broker::Setting<T> setting) {
    asked_[name] = broker::as_option(setting);
    return setting;
}

std::string Settings::text(const std::string& name, const std::string& standard) {
    const auto given = find(name);
    if (!given) return noted<std::string>(name, {standard, broker::Origin::standard}).value;
    return noted<std::string>(name, {given->text, given->origin}).value;
}

std::string Settings::choice(const std::string& name, const std::string& standard,
                             const std::vector<std::string>& choices) {
    const auto given = find(name);
    if (given && std::find(choices.begin(), choices.end(), given->text) == choices.end())
        throw InputError(fmt::format("{} is '{}', not one of: {}", given->place, given->text,
                                     fmt::join(choices, ", ")));
    return text(name, standard);
}

broker::Setting<int> Settings::number(const std::string& name, int standard, int low, int high) {
    const auto given = find(name);
    if (!given) return noted<int>(name, {standard, broker::Origin::standard});
    int value = 0;
    const char* end = given->text.data() + given->text.size();
    const auto read = std::from_chars(given->text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || value < low || value > high)
        throw InputError(given->place + " is '" + given->text + "', not a whole number from " +
                         std::to_string(low) + " to " + std::to_string(high));
    return noted<int>(name, {value, given->origin});
}

// The setting is shown as the user wrote it: a single size is a number.
core::SizeRange Settings::sizes(const std::string& name, core::SizeRange standard, int most) {
    const auto given = find(name);
    const auto origin = given ? given->origin : broker::Origin::standard;
    const auto range = given ? core::parse_size_range(given->place, given->text, most) : standard;
    if (range.is_one())
        noted<int>(name, {range.lower, origin});
    else
        noted<std::string>(name, {to_string(range), origin});
    return range;
}

broker::Setting<double> Settings::seconds(const std::string& name, double standard) {
    const auto given = find(name);
    if (!given) return noted<double>(name, {standard, broker::Origin::standard});
    const auto value = as_real(given->text);
    if (!value || !(*value >= 0 && *value <= 1e9))
        throw InputError(given->place + " is '" + given->text + "', not a number of seconds");
    return noted<double>(name, {*value, given->origin});
}

double Settings::share(const std::string& name, double standard) {
    const auto given = find(name);
    if (!given) return noted<double>(name, {standard, broker::Origin::standard}).value;
    const auto value = as_real(given->text);
    if (!value || !(*value > 0 && *value <= 1))
        throw InputError(given->place + " is '" + given->text +
                         "', not a number above 0 and up to 1");
    return noted<double>(name, {*value, given->origin}).value;
}

double Settings::real(const std::string& name, double standard, double low, double high) {
    const auto given = find(name);
    if (!given) return noted<double>(name, {standard, broker::Origin::standard}).value;
    const auto value = as_real(given->text);
    if (!value || !(*value >= low && *value <= high))
        throw InputError(fmt::format("{} is '{}', not a number from {} to {}", given->place,
                                     given->text, low, high));
    return noted<double>(name, {*value, given->origin}).value;
}

bool Settings::flag(const std::string& name) {
    const auto given = find(name);
    if (!given) return noted<bool>(name, {false, broker::Origin::standard}).value;
    if (given->text == "true" || given->text == "1" || given->text == "yes")
        return noted<bool>(name, {true, given->origin}).value;
    if (given->text == "false" || given->text == "0" || given->text == "no")
        return noted<bool>(name, {false, given->origin}).value;
    throw InputError(given->place + " is '" + given->text + "', neither true nor false");
}

}  // namespace ductile::cli
