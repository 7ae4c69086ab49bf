#include "rms/slurm_output.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "ductile/error.hpp"
#include "rms/hosts_file.hpp"
#include "rms/slurm_hostlist.hpp"
#include "rms/slurm_time.hpp"
#include "rms/text_lines.hpp"
#include "rms/whole_number.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t max_line_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_word_bytes = 64;
constexpr std::size_t max_reason_bytes = 200;

[[noreturn]] void refuse(const std::string& what, std::string_view text) {
    throw InputError(what + ": '" + wire::printable(text.substr(0, max_word_bytes)) + "'");
}

std::string_view without_line_end(std::string_view text) {
    const auto end = text.find_last_not_of(" \r\n");
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

/// Whether a name that the site chose, such as a partition, is safe in a command line.
bool is_plain_word(std::string_view text) {
    const auto allowed = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-+@:,").find(static_cast<char>(c)) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= max_word_bytes && text.front() != '-' &&
           std::ranges::all_of(text, allowed);
}

// ---- scontrol show job ----

/// All values after " NAME=", each up to the next blank.
std::vector<std::string_view> values_of(std::string_view line, std::string_view name) {
    const auto key = " " + std::string(name) + "=";
    std::vector<std::string_view> values;
    for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        const auto value = line.substr(at + key.size());
        values.push_back(value.substr(0, value.find(' ')));
    }
    return values;
}

std::string_view value_of(std::string_view line, std::string_view name) {
    const auto values = values_of(line, name);
    if (values.empty()) throw InputError("a job that Slurm shows has no " + std::string(name));
    if (values.size() > 1)
        throw InputError("a job that Slurm shows has " + std::string(name) +
                         "= more than once; is it in the job's name or path?");
    return values.front();
}

std::string word_of(std::string_view line, std::string_view name) {
    const auto value = value_of(line, name);
    if (value.empty() || value == "(null)" || value == "N/A") return {};
    if (!is_plain_word(value)) refuse("a job's " + std::string(name) + " is refused", value);
    return std::string(value);
}

template <class Number>
Number number_field(std::string_view line, std::string_view name) {
    const auto number = whole_number<Number>(value_of(line, name));
    if (!number) refuse("a job's " + std::string(name) + " is no number", value_of(line, name));
    return *number;
}

/// The number in "nobody(65534)".
std::uint32_t user_of(std::string_view line) {
    const auto value = value_of(line, "UserId");
    const auto open = value.rfind('(');
    if (open == std::string_view::npos || value.back() != ')')
        refuse("a job's UserId is refused", value);
    const auto user = whole_number<std::uint32_t>(value.substr(open + 1, value.size() - open - 2));
    if (!user) refuse("a job's UserId is refused", value);
    return *user;
}

/// The hosts in "Nodes=node[01-02] CPU_IDs=0-3". There is one such text for all hosts with the same
/// CPU_IDs.
core::Allocation detailed_hosts(std::string_view line) {
    const auto nodes = values_of(line, "Nodes");
    const auto cpus = values_of(line, "CPU_IDs");
    core::Allocation hosts;
    if (nodes.size() != cpus.size()) return hosts;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (auto& name : expand_hostlist(nodes[i]))
            hosts.hosts.push_back({std::move(name), count_numbers(cpus[i])});
    return hosts;
}

bool has_names(const core::Allocation& hosts, const std::vector<std::string>& names) {
    return std::ranges::equal(hosts.hosts, names, {}, &core::Host::name);
}

/// The hosts of a running job.
core::Allocation hosts_of(std::string_view line) {
    const auto names = expand_hostlist(value_of(line, "NodeList"));
    if (std::set(names.begin(), names.end()).size() != names.size())
        refuse("a job has a host twice", value_of(line, "NodeList"));
    auto hosts = detailed_hosts(line);
    if (has_names(hosts, names)) return hosts;
    // This Slurm shows no details, or their order differs: all hosts get the same number of CPUs.
    const int cpus = number_field<int>(line, "NumCPUs");
    if (cpus < 1 || cpus > max_slots) refuse("a job's NumCPUs is refused", std::to_string(cpus));
    hosts.hosts.clear();
    const int each = std::max(1, cpus / static_cast<int>(names.size()));
    for (const auto& name : names) hosts.hosts.push_back({name, each});
    return hosts;
}

std::optional<std::chrono::seconds> time_left(std::string_view line) {
    const auto limit = value_of(line, "TimeLimit");
    if (limit == "Partition_Limit") return std::nullopt;  // known only when the job runs
    const auto whole = parse_slurm_time(limit);
    const auto used = parse_slurm_time(value_of(line, "RunTime"));
    if (!whole) return std::nullopt;
    return std::max(std::chrono::seconds(0), *whole - used.value_or(std::chrono::seconds(0)));
}

// ---- squeue ----

ListedJob parse_listed_job(std::string_view line) {
    constexpr std::size_t fields = 5;
    std::array<std::string_view, fields> field;
    for (std::size_t i = 0; i < fields; ++i) {
        const auto end = i + 1 == fields ? std::string_view::npos : line.find('|');
        field.at(i) = line.substr(0, end);
        if (i + 1 == fields) break;
        if (end == std::string_view::npos) refuse("a line of squeue has too few fields", line);
        line.remove_prefix(end + 1);
    }
    const auto cpus = whole_number<int>(field[2]);
    if (!cpus || *cpus > max_slots) refuse("squeue shows an invalid number of CPUs", field[2]);
    if (!is_plain_word(field[1])) refuse("squeue's state is refused", field[1]);
    return {parse_slurm_job(field[0]), std::string(field[1]), *cpus, std::string(field[3]),
            wire::printable(field[4].substr(0, max_reason_bytes))};
}

}  // namespace

SlurmJob parse_slurm_job(std::string_view text) {
    const auto number = whole_number<std::uint32_t>(text);
    if (!number || *number == 0) refuse("no number of a Slurm job", text);
    return SlurmJob{*number};
}

SlurmJob parse_submitted(std::string_view output) {
    const auto line = without_line_end(output);
    return parse_slurm_job(line.substr(0, line.find(';')));
}

std::optional<SlurmJob> parse_granted(std::string_view line) {
    constexpr std::string_view begin = "salloc: Granted job allocation ";
    if (!line.starts_with(begin)) return std::nullopt;
    const auto number = whole_number<std::uint32_t>(line.substr(begin.size()));
    return number ? std::optional(SlurmJob{*number}) : std::nullopt;
}

SlurmVersion parse_slurm_version(std::string_view output) {
    const auto line = without_line_end(output);
    const auto blank = line.find(' ');
    const auto dot = blank == std::string_view::npos ? blank : line.find('.', blank);
    if (!line.starts_with("slurm") || dot == std::string_view::npos)
        refuse("no version of Slurm", line);
    const auto major = whole_number<int>(line.substr(blank + 1, dot - blank - 1));
    const auto rest = line.substr(dot + 1);
    const auto minor = whole_number<int>(rest.substr(0, rest.find('.')));
    if (!major || !minor) refuse("no version of Slurm", line);
    return {*major, *minor};
}

ShownJob parse_shown_job(std::string_view output) {
    const auto text = without_line_end(output);
    constexpr std::string_view begin = "JobId=";
    if (text.size() > max_line_bytes) throw InputError("a job that Slurm shows takes over 64 KiB");
    if (!text.starts_with(begin) || text.find('\n') != std::string_view::npos)
        refuse("Slurm does not show exactly one job", text);
    ShownJob job;
    job.job = parse_slurm_job(text.substr(begin.size(), text.find(' ') - begin.size()));
    job.user = user_of(text);
    job.state = word_of(text, "JobState");
    job.partition = word_of(text, "Partition");
    job.account = word_of(text, "Account");
    job.qos = word_of(text, "QOS");
    job.left = time_left(text);
    const auto shared = values_of(text, "OverSubscribe");
    job.is_exclusive = shared.size() != 1 || shared.front() == "NO";
    if (phase_of(job.state) != SlurmPhase::running) return job;
    job.hosts = hosts_of(text);
    if (!values_of(text, "BatchHost").empty()) job.batch_host = word_of(text, "BatchHost");
    return job;
}

SlurmPhase phase_of(std::string_view state) {
    static const std::set<std::string_view> waiting{"PENDING",      "CONFIGURING", "REQUEUED",
                                                    "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD",
                                                    "SPECIAL_EXIT"};
    static const std::set<std::string_view> running{"RUNNING", "RESIZING", "SIGNALING", "SUSPENDED",
                                                    "STOPPED"};
    static const std::set<std::string_view> ended{
        "COMPLETING", "COMPLETED", "CANCELLED", "FAILED",        "TIMEOUT",   "NODE_FAIL",
        "PREEMPTED",  "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY", "STAGE_OUT", "REVOKED"};
    if (waiting.contains(state)) return SlurmPhase::waiting;
    if (running.contains(state)) return SlurmPhase::running;
    if (ended.contains(state)) return SlurmPhase::ended;
    return SlurmPhase::unknown;
}

std::vector<ListedJob> parse_listed_jobs(std::string_view output) {
    std::vector<ListedJob> jobs;
    while (!output.empty()) {
        const auto end = std::min(output.find('\n'), output.size());
        const auto line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        if (!line.empty()) jobs.push_back(parse_listed_job(line));
    }
    return jobs;
}

std::set<std::string> parse_step_hosts(std::string_view output) {
    std::set<std::string> hosts;
    for_each_line(output, [&hosts](std::string_view line) {
        auto text = line;
        const auto id = take_field(text);
        if (!id) refuse("a line of squeue has too few fields", line);
        static const std::set<std::string_view> of_slurm{"batch", "extern", "interactive"};
        const auto dot = id->rfind('.');
        if (dot != std::string_view::npos && of_slurm.contains(id->substr(dot + 1))) return;
        if (text.empty()) return;  // the step has no host yet, or no host any more
        for (auto& name : expand_hostlist(text)) hosts.insert(std::move(name));
    });
    return hosts;
}

}  // namespace ductile::rms
