#include "rms/slurm_accounting.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ductile/error.hpp"
#include "rms/text_lines.hpp"
#include "rms/whole_number.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {
namespace {

constexpr std::size_t most_of_a_line = 100;
constexpr int most_accounted_hosts = 1'000'000;

[[noreturn]] void refuse_line(const std::string& what, std::string_view text) {
    throw InputError(what + ": '" + wire::printable(text.substr(0, most_of_a_line)) + "'");
}

std::optional<std::int64_t> time_of(std::string_view text) {
    if (text == "Unknown" || text == "None") return std::nullopt;
    const auto seconds = whole_number<std::int64_t>(text);
    if (!seconds) refuse_line("sacct shows a time that is not a number of seconds", text);
    return seconds;
}

/// Takes as many fields as `fields` has elements. `line` keeps the rest, which is the name of the
/// job. The name may contain the separator.
template <std::size_t n>
void take_fields(std::string_view& line, std::array<std::string_view, n>& fields) {
    const auto whole = line;
    for (auto& field : fields) {
        const auto taken = take_field(line);
        if (!taken) refuse_line("a line of Slurm has too few fields", whole);
        field = *taken;
    }
}

AccountedJob parse_accounted_job(std::string_view line) {
    const auto whole = line;
    std::array<std::string_view, 6> fields;
    take_fields(line, fields);
    const auto& [job, state, hosts_text, submit_text, start, end] = fields;
    const auto hosts = whole_number<int>(hosts_text);
    if (!hosts || *hosts > most_accounted_hosts)
        refuse_line("sacct shows an invalid number of hosts", hosts_text);
    const auto submit = time_of(submit_text);
    if (!submit) refuse_line("sacct shows a job without a time of submission", whole);
    return {parse_slurm_job(job), wire::printable(line), wire::printable(state), *hosts, *submit,
            time_of(start),       time_of(end)};
}

constexpr const char* resized = "RESIZING";  ///< the state in all lines of a job except its last

/// `later`: a line of the same job.
void append(AccountedJob& job, const AccountedJob& later) {
    const auto begin = job.earlier.empty() ? job.start_s : job.earlier.back().end_s;
    if (begin && job.end_s) job.earlier.push_back({job.hosts, *begin, *job.end_s});
    job.state = later.state;
    job.hosts = later.hosts;
    job.end_s = later.end_s;
}

}  // namespace

std::vector<QueuedJob> parse_queued_jobs(std::string_view output) {
    std::vector<QueuedJob> jobs;
    for_each_line(output, [&jobs](std::string_view line) {
        std::array<std::string_view, 2> fields;
        take_fields(line, fields);
        jobs.push_back(
            {parse_slurm_job(fields[0]), wire::printable(fields[1]), wire::printable(line)});
    });
    return jobs;
}

std::vector<AccountedJob> parse_accounted_jobs(std::string_view output) {
    std::vector<AccountedJob> jobs;
    for_each_line(output, [&jobs](std::string_view line) {
        auto read = parse_accounted_job(line);
        const auto before = std::ranges::find(jobs, read.job, &AccountedJob::job);
        if (before != jobs.end() && before->state == resized)
            append(*before, read);
        else
            jobs.push_back(std::move(read));
    });
    for (auto& job : jobs)
        if (job.state == resized) job.end_s.reset();  // its last line is still to come
    return jobs;
}

}  // namespace ductile::rms
