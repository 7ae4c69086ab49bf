#include "rms/slurm_queue.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/text_lines.hpp"
#include "rms/whole_number.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr int most_hosts = 1 << 20;
constexpr std::size_t most_shown = 64;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The tasks of an array may have several reasons: "Resources,Priority". A job that has just been
/// submitted has the reason "None".
bool waits_for_hosts(std::string_view reasons) {
    constexpr std::array<std::string_view, 3> known{"None", "Priority", "Resources"};
    while (!reasons.empty()) {
        const auto end = std::min(reasons.find(','), reasons.size());
        if (std::ranges::find(known, trimmed(reasons.substr(0, end))) != known.end()) return true;
        reasons.remove_prefix(std::min(end + 1, reasons.size()));
    }
    return false;
}

/// The job for which a sidecar was submitted: SlurmCommands::submit() gives each sidecar such a
/// comment and such a name. None for other jobs.
std::optional<SlurmJob> parent_of(std::string_view comment_and_name) {
    constexpr std::string_view begin = "for ";
    if (!comment_and_name.starts_with(begin)) return std::nullopt;
    comment_and_name.remove_prefix(begin.size());
    const auto text = take_field(comment_and_name);
    const auto number = text ? whole_number<std::uint32_t>(trimmed(*text)) : std::nullopt;
    if (!number || !comment_and_name.starts_with(sidecar_prefix)) return std::nullopt;
    return SlurmJob{*number};
}

/// The number of "node" in "cpu=12,mem=3000M,node=3".
std::optional<int> count_of(std::string_view name, std::string_view kinds) {
    while (!kinds.empty()) {
        const auto end = std::min(kinds.find(','), kinds.size());
        auto one = kinds.substr(0, end);
        kinds.remove_prefix(std::min(end + 1, kinds.size()));
        if (!one.starts_with(name) || one.substr(name.size(), 1) != "=") continue;
        one.remove_prefix(name.size() + 1);
        return whole_number<int>(one);
    }
    return std::nullopt;
}

/// The least number of hosts that a job needs. `shown`: the number that squeue shows. If the job
/// asks for a range of hosts, that is the largest number of the range. `kinds`: the least that the
/// job needs of each resource.
int least_hosts(int shown, std::string_view kinds, int cpus_per_host) {
    const auto hosts = count_of("node", kinds), cpus = count_of("cpu", kinds);
    if (!hosts || !cpus) return shown;
    const int for_cpus = *cpus / cpus_per_host + (*cpus % cpus_per_host > 0 ? 1 : 0);
    return std::clamp(std::max(*hosts, for_cpus), 1, shown);
}

std::optional<std::int64_t> nice_value(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    const auto number = whole_number<std::uint32_t>(text);
    if (!number) return std::nullopt;
    return is_negative ? -std::int64_t{*number} : std::int64_t{*number};
}

}  // namespace

std::vector<policy::WaitingJob> parse_waiting_jobs(std::string_view output, int cpus_per_host) {
    std::vector<policy::WaitingJob> jobs;
    for_each_line(output, [&jobs, cpus_per_host](std::string_view line) {
        const auto id = take_field(line);
        const auto hosts = id ? take_field(line) : std::nullopt;
        const auto kinds = hosts ? take_field(line) : std::nullopt;
        const auto reason = kinds ? take_field(line) : std::nullopt;
        const auto tasks = reason ? take_field(line) : std::nullopt;
        if (!tasks || !waits_for_hosts(*reason) || parent_of(line)) return;
        const auto number = whole_number<std::uint32_t>(*id);
        const auto count = whole_number<int>(*hosts);
        if (!number || !count || *count < 1 || *count > most_hosts) return;
        const bool is_array = trimmed(*tasks) != "N/A";
        jobs.push_back({policy::WaitingJobId{*number}, least_hosts(*count, *kinds, cpus_per_host),
                        is_array ? std::string(trimmed(*tasks)) : std::string()});
    });
    return jobs;
}

std::vector<SiteJob> parse_site_jobs(std::string_view output) {
    std::vector<SiteJob> jobs;
    for_each_line(output, [&jobs](std::string_view line) {
        const auto id = take_field(line);
        const auto user = id ? take_field(line) : std::nullopt;
        const auto hosts = user ? take_field(line) : std::nullopt;
        const auto state = hosts ? take_field(line) : std::nullopt;
        const auto partition = state ? take_field(line) : std::nullopt;
        if (!partition) return;
        const auto number = whole_number<std::uint32_t>(trimmed(*id));
        const auto owner = whole_number<std::uint32_t>(trimmed(*user));
        const auto count = whole_number<int>(trimmed(*hosts));
        if (!number || !owner || !count || *count < 0 || *count > most_hosts) return;
        jobs.push_back({SlurmJob{*number}, *owner, *count, trimmed(*state) == "PENDING",
                        std::string(trimmed(*partition))});
    });
    return jobs;
}

std::map<SlurmJob, SlurmJob> parse_sidecars(std::string_view output) {
    std::map<SlurmJob, SlurmJob> sidecars;
    for_each_line(output, [&sidecars](std::string_view line) {
        const auto id = take_field(line);
        const auto number = id ? whole_number<std::uint32_t>(trimmed(*id)) : std::nullopt;
        const auto parent = parent_of(line);
        if (!number || !parent) return;
        const bool ends_as_it_begins = line.ends_with("|" + std::string(trimmed(*id)) + "|");
        if (ends_as_it_begins) sidecars.emplace(SlurmJob{*number}, *parent);
    });
    return sidecars;
}

std::map<SlurmJob, SlurmJob> sidecars_among(const std::vector<SiteJob>& jobs,
                                            const std::map<SlurmJob, SlurmJob>& named) {
    std::map<SlurmJob, const SiteJob*> by_id;
    for (const auto& one : jobs) by_id.emplace(one.job, &one);
    std::map<SlurmJob, SlurmJob> sidecars;
    for (const auto& [sidecar, parent] : named) {
        const auto own = by_id.find(sidecar), its_parent = by_id.find(parent);
        if (own == by_id.end() || its_parent == by_id.end() || named.contains(parent)) continue;
        const auto &one = *own->second, &other = *its_parent->second;
        if (one.hosts == 1 && one.user == other.user && one.partition == other.partition &&
            !other.is_waiting)
            sidecars.emplace(sidecar, parent);
    }
    return sidecars;
}

std::vector<JobPriority> parse_priorities(std::string_view output) {
    std::vector<JobPriority> jobs;
    for_each_line(output, [&jobs](std::string_view line) {
        const auto id = take_field(line);
        const auto priority = id ? take_field(line) : std::nullopt;
        if (!priority) return;
        const auto number = whole_number<std::uint32_t>(trimmed(*id));
        const auto height = whole_number<std::uint32_t>(trimmed(*priority));
        const auto nice = nice_value(trimmed(line));
        if (number && height && nice)
            jobs.push_back({policy::WaitingJobId{*number}, *height, *nice});
    });
    return jobs;
}

std::optional<NiceChange> raised_above(const std::vector<JobPriority>& jobs,
                                       policy::WaitingJobId job) {
    constexpr std::int64_t highest_priority = 0xffffffff, lowest_priority = 2;
    constexpr std::int64_t margin = 1000;              // priorities change with time
    constexpr std::int64_t lowest_nice = -2147483645;  // that scontrol allows
    const auto& first = jobs.front();
    const auto own = std::ranges::find(jobs, job, &JobPriority::job);
    if (first.job == job) return NiceChange{own->nice, own->nice};
    const auto wanted = std::min(first.priority + margin, highest_priority);
    // Slurm shows no priority below this. So the priority without the nice value is not known then.
    const bool is_lowest = own->priority <= lowest_priority;
    const NiceChange change{own->nice, is_lowest ? -wanted : own->nice - (wanted - own->priority)};
    if (wanted == first.priority || change.raised < lowest_nice) return std::nullopt;
    return change;
}

SeenHosts parse_hosts(std::string_view output) {
    SeenHosts seen;
    std::optional<int> fewest_cpus;
    for_each_line(output, [&](std::string_view line) {
        auto text = line;
        const auto count = whole_number<int>(take_field(text).value_or(""));
        const auto state = take_field(text).value_or("");
        const auto cpus = whole_number<int>(text.substr(0, text.find('+')));
        if (count == 0) return;  // a partition without hosts
        if (!count || *count > most_hosts - seen.idle || state.empty() || !cpus || *cpus < 1)
            throw InputError("a line of sinfo is refused: '" +
                             wire::printable(line.substr(0, most_shown)) + "'");
        seen.are_equal = seen.are_equal && text.find('+') == std::string_view::npos &&
                         fewest_cpus.value_or(*cpus) == *cpus;
        if (state == "idle") seen.idle += *count;
        fewest_cpus = std::min(fewest_cpus.value_or(*cpus), *cpus);
    });
    seen.cpus_per_host = fewest_cpus.value_or(1);
    return seen;
}

}  // namespace ductile::rms
