#include "cli/workload/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rms/remote_shell.hpp"

namespace ductile::cli {
namespace {

using workload::JobClass;
using workload::Study;

constexpr double least_policy_every_s = 0.1;  ///< `ductile run` refuses a smaller value

std::string curve_of(const JobClass& job_class) {
    std::string curve;
    for (const auto& [hosts, seconds] : job_class.iteration_s)
        curve += fmt::format("{}{}:{}", curve.empty() ? "" : ",", hosts, seconds);
    return curve;
}

std::vector<std::string> program_of(const Study& study, const JobClass& job_class,
                                    const std::string& paced) {
    if (!job_class.command.empty()) return job_class.command;
    return {paced,
            "--iterations",
            fmt::format("{}", job_class.iterations),
            "--curve",
            curve_of(job_class),
            "--scale",
            fmt::format("{}", study.time_scale),
            "--mib",
            fmt::format("{}", job_class.data_mib)};
}

/// The time limit of the Slurm job, without which Slurm cannot backfill. It is twice the time that
/// the job needs on its smallest number of hosts, and two minutes for its start.
int limit_minutes(const Study& study, const JobClass& job_class) {
    return 2 + static_cast<int>(std::ceil(2 * slowest_s(study, job_class) / 60));
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line = "exec";
    for (const auto& word : words) line += " " + rms::shell_quoted(word);
    return line;
}

struct HostsAsked {
    std::string hosts;    ///< of sbatch: "4", or "4-11"
    std::string sharing;  ///< option of sbatch: how the job gets the hosts for itself
    std::string ranks;    ///< of `ductile run`, with one rank on each host: "4", or "4:11"
};

HostsAsked exactly(int hosts) {
    return {std::to_string(hosts), "--exclusive", std::to_string(hosts)};
}

HostsAsked any_number(int least, int most, const RunPlace& place) {
    return {fmt::format("{}-{}", least, most),
            fmt::format("--ntasks-per-node={}", place.cpus_per_host),
            fmt::format("{}:{}", least, most)};
}

/// `malleable`: more options of `ductile run`; empty for a rigid job.
std::vector<std::string> sbatch_words(const Study& study, const JobClass& job_class,
                                      workload::JobNumber number, const HostsAsked& asked,
                                      const std::vector<std::string>& malleable,
                                      const RunPlace& place) {
    const auto name = job_name(place, number);
    std::vector<std::string> run{place.ductile,
                                 "run",
                                 "--slurm-job=here",
                                 "--name",
                                 name,
                                 "--events",
                                 events_path(place, number),
                                 "--ranks-per-host",
                                 "1",
                                 "-n",
                                 asked.ranks};
    run.insert(run.end(), malleable.begin(), malleable.end());
    run.emplace_back("--");
    const auto program = program_of(study, job_class, place.paced);
    run.insert(run.end(), program.begin(), program.end());
    return {"sbatch",
            "--parsable",
            "--no-requeue",
            "--nodes=" + asked.hosts,
            asked.sharing,
            "--job-name=" + name,
            fmt::format("--time={}", limit_minutes(study, job_class)),
            "--input=/dev/null",
            fmt::format("--output={}/{:02}.out", place.folder, number.value),
            "--wrap=" + shell_line(run)};
}

}  // namespace

std::string job_name(const RunPlace& place, workload::JobNumber number) {
    return fmt::format("{}{:02}", place.job_prefix, number.value);
}

std::string events_path(const RunPlace& place, workload::JobNumber number) {
    return fmt::format("{}/{:02}.events", place.folder, number.value);
}

const JobClass& class_of(const Study& study, const workload::Job& job) {
    return study.classes.at(static_cast<std::size_t>(job.job_class.value));
}

double slowest_s(const Study& study, const JobClass& job_class) {
    return job_class.iterations * job_class.iteration_s.at(job_class.min_hosts) * study.time_scale;
}

std::vector<std::string> fixed_submission(const Study& study, const JobClass& job_class,
                                          workload::JobNumber number, int hosts,
                                          const RunPlace& place) {
    return sbatch_words(study, job_class, number, exactly(hosts), {}, place);
}

std::vector<std::string> submission(const Study& study, const workload::Job& job,
                                    const Configuration& configuration, const RunPlace& place) {
    const auto& job_class = class_of(study, job);
    const int most = max_hosts(study, job_class);
    if (!configuration.is_malleable || job.is_rigid)
        return fixed_submission(study, job_class, job.number, most, place);
    std::vector<std::string> malleable{
        "--min",
        std::to_string(job_class.min_hosts),
        "--max",
        std::to_string(most),
        "--policy",
        study.site.empty() ? "natural" : "site",
        "--policy-every",
        fmt::format("{}", std::max(least_policy_every_s, study.policy_every_s * study.time_scale)),
        "--inhibitor-points",
        std::to_string(study.inhibitor_points),
        "--method",
        std::string(to_string(configuration.method)),
        "--overlap",
        std::string(to_string(configuration.overlap))};
    if (!study.site.empty()) malleable.push_back("--site=" + study.site);
    auto asked = exactly(job_class.min_hosts);
    if (study.moldable) {
        malleable.emplace_back("--shrink-slurm-job=yes");
        asked = any_number(job_class.min_hosts, most, place);
    }
    return sbatch_words(study, job_class, job.number, asked, malleable, place);
}

}  // namespace ductile::cli
