#include "cli/workload/blocking_slurm.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_queue.hpp"

namespace ductile::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr std::size_t most_output = std::size_t{16} << 20;
constexpr std::size_t most_shown = 300;

std::string of_this_user() {
    return "--user=" + std::to_string(::getuid());
}

rms::Environment for_questions() {
    auto environment = rms::environment_for_slurm(rms::current_environment());
    environment["SLURM_TIME_FORMAT"] = "%s";
    return environment;
}

}  // namespace

std::string BlockingSlurm::ask(const Words& words, OnInterrupt what,
                               rms::Environment environment) const {
    rms::Command command;
    command.arguments = words;
    command.environment = std::move(environment);
    command.deadline = 60s;  // a busy slurmctld answers late
    command.max_output_bytes = most_output;
    if (what == OnInterrupt::ends) command.cancel_on = {interrupt_.fd()};
    const auto result = rms::run_command(command);
    if (result.ended == rms::Ended::cancelled) throw Interrupted{Interrupt::signal()};
    if (result.succeeded()) return result.out;
    auto said = result.err.substr(0, most_shown);
    said.erase(said.find_last_not_of(" \r\n") + 1);
    const auto& name = words.front() == "/usr/bin/env" ? words.at(3) : words.front();
    throw SystemError(name +
                      " failed: " + (said.empty() ? rms::how_it_ended(command, result) : said));
}

rms::SlurmJob BlockingSlurm::submit(const Words& words) const {
    auto environment = rms::without_launcher_variables(rms::current_environment());
    // sbatch takes these variables as options. They may be meant for the Slurm job in which this
    // process runs.
    std::erase_if(environment, [](const auto& one) { return one.first.starts_with("SBATCH_"); });
    Words unmarked{"/usr/bin/env", "-u", rms::command_mark};
    unmarked.insert(unmarked.end(), words.begin(), words.end());
    return rms::parse_submitted(ask(unmarked, OnInterrupt::goes_on, std::move(environment)));
}

std::vector<rms::QueuedJob> BlockingSlurm::unfinished(OnInterrupt what) const {
    return rms::parse_queued_jobs(
        ask({"squeue", "--noheader", of_this_user(), std::string("--format=") + rms::queued_format},
            what, for_questions()));
}

std::vector<rms::AccountedJob> BlockingSlurm::accounted_since(std::int64_t begin_s) const {
    const auto ago = std::max<std::int64_t>(0, std::time(nullptr) - begin_s) + 60;
    auto jobs = rms::parse_accounted_jobs(
        ask({"sacct", "--parsable2", "--noheader", "--allocations", of_this_user(),
             "--starttime=now-" + std::to_string(ago) + "seconds",
             std::string("--format=") + rms::accounted_format},
            OnInterrupt::ends, for_questions()));
    std::erase_if(jobs, [begin_s](const auto& job) { return job.submit_s < begin_s; });
    return jobs;
}

int BlockingSlurm::cpus_per_host() const {
    const auto hosts =
        rms::parse_hosts(ask({"sinfo", "--noheader", std::string("--format=") + rms::hosts_format},
                             OnInterrupt::ends, for_questions()));
    if (!hosts.are_equal)
        throw InputError(
            "the hosts of this Slurm have different numbers of CPUs, so a moldable job cannot ask "
            "for all CPUs of each host");
    return hosts.cpus_per_host;
}

void BlockingSlurm::cancel(const std::vector<rms::SlurmJob>& jobs) const {
    if (jobs.empty()) return;
    static_cast<void>(ask(rms::SlurmCommands::cancel(jobs), OnInterrupt::goes_on, for_questions()));
}

}  // namespace ductile::cli
