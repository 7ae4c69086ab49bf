// Study files.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/counted.hpp"
#include "ductile/error.hpp"
#include "workload/study.hpp"
#include "workload/study_text.hpp"

namespace ductile::workload {

namespace {

constexpr int most_hosts = 100000;
constexpr int most_jobs = 100000;
constexpr int most_repetitions = 1000;
constexpr int most_iterations = 1000000000;
constexpr std::size_t most_classes = 100;
constexpr std::size_t longest_name = 32;
constexpr std::size_t most_words = 1000;
constexpr double longest_s = 1e6;

// A table of the file. A message begins with the place of the key: "paper.toml:12:
// classes.small.min_hosts".
class Section {
  public:
    Section(const toml::table& table, std::string file, std::string prefix)
        : table_(table), file_(std::move(file)), prefix_(std::move(prefix)) {}

    [[noreturn]] void fail(std::string_view key, std::string_view why) const {
        const toml::node* node = table_.get(key);
        const auto line = (node == nullptr ? table_.source() : node->source()).begin.line;
        throw InputError(fmt::format("{}:{}: {}{} {}", file_, std::max<std::size_t>(line, 1),
                                     prefix_, key, why));
    }
    void refuse_all_but(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, node] : table_)
            if (std::ranges::find(keys, key.str()) == keys.end()) fail(key.str(), "is not known");
    }
    [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
    [[nodiscard]] const toml::node& node(std::string_view key) const {
        const toml::node* found = table_.get(key);
        if (found == nullptr) fail(key, "is missing");
        return *found;
    }
    [[nodiscard]] Section section(std::string_view key) const {
        const auto* table = node(key).as_table();
        if (table == nullptr) fail(key, "must be a table");
        return {*table, file_, fmt::format("{}{}.", prefix_, key)};
    }
    [[nodiscard]] std::vector<std::string_view> keys() const {
        std::vector<std::string_view> keys;
        for (const auto& [key, node] : table_) keys.push_back(key.str());
        return keys;
    }
    [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t low,
                                     std::int64_t high) const {
        const auto value = node(key).value_exact<std::int64_t>();
        if (!value || *value < low || *value > high)
            fail(key, fmt::format("must be a whole number from {} to {}", low, high));
        return *value;
    }
    [[nodiscard]] double real(std::string_view key, double low, double high) const {
        auto value = node(key).value_exact<double>();
        if (const auto whole = node(key).value_exact<std::int64_t>())
            value = static_cast<double>(*whole);
        if (!value || !(*value >= low && *value <= high))  // both comparisons are false for NaN
            fail(key, fmt::format("must be a number from {} to {}", low, high));
        return *value;
    }
    // Sets a value that the file may omit.
    void set_if_given(int& value, std::string_view key, int low, int high) const {
        if (has(key)) value = static_cast<int>(whole(key, low, high));
    }
    void set_if_given(double& value, std::string_view key, double low, double high) const {
        if (has(key)) value = real(key, low, high);
    }
    void set_if_given(bool& value, std::string_view key) const {
        if (!has(key)) return;
        const auto given = node(key).value_exact<bool>();
        if (!given) fail(key, "must be true or false");
        value = *given;
    }
    void set_if_given(std::string& path, std::string_view key) const {
        if (!has(key)) return;
        const auto given = node(key).value_exact<std::string>();
        if (!given || !given->starts_with('/')) fail(key, "must be the absolute path of a file");
        path = *given;
    }

  private:
    const toml::table& table_;
    std::string file_;
    std::string prefix_;
};

// Names of classes become parts of names of jobs and files.
bool is_class_name(std::string_view text) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    };
    return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, is_allowed);
}

std::optional<int> hosts_of_key(std::string_view key) {
    int hosts = 0;
    const auto read = std::from_chars(key.data(), key.data() + key.size(), hosts);
    if (read.ec != std::errc() || hosts < 1 || hosts > most_hosts) return std::nullopt;
    if (std::to_string(hosts) != key) return std::nullopt;
    return hosts;
}

IterationTimes read_iteration_times(const Section& of_class, int min_hosts) {
    const auto section = of_class.section("iteration_s");
    IterationTimes times;
    for (const auto key : section.keys()) {
        const auto hosts = hosts_of_key(key);
        if (!hosts)
            section.fail(key, fmt::format("must be a number of hosts from 1 to {}", most_hosts));
        times[*hosts] = section.real(key, 1e-6, longest_s);
    }
    int next = min_hosts;
    while (times.contains(next)) ++next;
    if (next == min_hosts || times.rbegin()->first > next)
        of_class.fail("iteration_s", "has no time on " + core::counted(next, "host"));
    return times;
}

std::vector<std::string> read_command(const Section& of_class) {
    std::vector<std::string> command;
    if (!of_class.has("command")) return command;
    const auto* words = of_class.node("command").as_array();
    if (words == nullptr || words->empty() || words->size() > most_words)
        of_class.fail("command",
                      fmt::format("must be a list of a program and its arguments, {} words at most",
                                  most_words));
    for (const auto& node : *words) {
        const auto word = node.value_exact<std::string>();
        if (!word || word->find('\0') != std::string::npos)
            of_class.fail("command", "must be a list of strings");
        command.push_back(*word);
    }
    if (command.front().empty()) of_class.fail("command", "names no program");
    return command;
}

JobClass read_class(const Section& section, int hosts) {
    section.refuse_all_but(
        {"name", "likelihood", "min_hosts", "iterations", "iteration_s", "data_mib", "command"});
    const auto name = section.node("name").value_exact<std::string>();
    if (!name || !is_class_name(*name))
        section.fail("name",
                     fmt::format("must be 1 to {} letters, digits, '-' and '_'", longest_name));
    JobClass read;
    read.name = *name;
    read.likelihood = section.real("likelihood", 0, 1);
    read.min_hosts = static_cast<int>(section.whole("min_hosts", 1, hosts));
    read.iterations = static_cast<int>(section.whole("iterations", 1, most_iterations));
    read.iteration_s = read_iteration_times(section, read.min_hosts);
    section.set_if_given(read.data_mib, "data_mib", 0, 1e6);
    read.command = read_command(section);
    return read;
}

std::vector<JobClass> read_classes(const Section& root, const std::string& file, int hosts) {
    const auto* list = root.node("classes").as_array();
    if (list == nullptr || list->empty() || list->size() > most_classes)
        root.fail("classes", fmt::format("must be 1 to {} tables [[classes]]", most_classes));
    std::vector<JobClass> classes;
    std::set<std::string> names;
    double likelihood = 0;
    for (const auto& node : *list) {
        const auto* table = node.as_table();
        if (table == nullptr) root.fail("classes", "must be tables [[classes]]");
        const auto name = table->at_path("name").value_exact<std::string>();
        const auto shown = name && is_class_name(*name) ? *name : std::to_string(names.size() + 1);
        const Section section(*table, file, fmt::format("classes.{}.", shown));
        classes.push_back(read_class(section, hosts));
        if (!names.insert(classes.back().name).second)
            section.fail("name", "is the name of an earlier class");
        likelihood += classes.back().likelihood;
    }
    constexpr double tolerance = 1e-3;  // three likelihoods of 0.333 are accepted
    if (!(std::abs(likelihood - 1) <= tolerance))
        root.fail("classes",
                  fmt::format("have likelihoods that add up to {}, not to 1", likelihood));
    return classes;
}

Study read_study(const toml::table& table, const std::string& file) {
    const Section root(table, file, "");
    root.refuse_all_but({"seed", "jobs", "mean_interarrival_s", "hosts", "repetitions",
                         "time_scale", "min_efficiency", "rigid_share", "policy_every_s",
                         "inhibitor_points", "moldable", "site", "classes"});
    Study study;
    if (root.has("seed")) study.seed = static_cast<std::uint64_t>(root.whole("seed", 0, INT64_MAX));
    root.set_if_given(study.jobs, "jobs", 1, most_jobs);
    root.set_if_given(study.mean_interarrival_s, "mean_interarrival_s", 0, longest_s);
    root.set_if_given(study.hosts, "hosts", 1, most_hosts);
    root.set_if_given(study.repetitions, "repetitions", 1, most_repetitions);
    root.set_if_given(study.time_scale, "time_scale", 1e-6, 1e6);
    root.set_if_given(study.min_efficiency, "min_efficiency", 0, 10);
    root.set_if_given(study.rigid_share, "rigid_share", 0, 1);
    root.set_if_given(study.policy_every_s, "policy_every_s", 0.1, longest_s);
    root.set_if_given(study.inhibitor_points, "inhibitor_points", 0, 1000000);
    root.set_if_given(study.moldable, "moldable");
    root.set_if_given(study.site, "site");
    study.classes = read_classes(root, file, study.hosts);
    return study;
}

}  // namespace

Study parse_study(std::string_view text, const std::string& file) {
    check_study_text(text, file);
    try {
        return read_study(toml::parse(text, file), file);
    } catch (const toml::parse_error& error) {
        throw InputError(
            fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    }
}

}  // namespace ductile::workload
