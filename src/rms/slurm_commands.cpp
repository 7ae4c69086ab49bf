#include "rms/slurm_commands.hpp"

#include <algorithm>
#include <string_view>

#include "rms/command.hpp"
#include "rms/slurm_queue.hpp"

namespace ductile::rms {

namespace {

constexpr std::int64_t raise_above_all = 1'000'000'000;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

std::string number_of(SlurmJob job) {
    return std::to_string(job.value);
}

/// The script of a sidecar. It ends when the parent has ended, in case nobody cancels the sidecar.
/// It also ends when Slurm requeues the parent, because a requeued parent starts a new job of
/// Ductile.
std::string watch_of(SlurmJob parent) {
    return "while sleep 30; do"
           " state=$(squeue --noheader --states=all --format=%T --jobs=" +
           number_of(parent) +
           " 2>&1);"
           " case $state in"
           " COMPLET*|CANCEL*|FAIL*|TIMEOUT|NODE_FAIL|PREEMPT*|PENDING|REQUEUE*|SPECIAL_EXIT|BOOT_"
           "FAIL|DEADLINE|OUT_OF_ME*"
           "|*'Invalid job id'*) exit 0;;"
           " esac;"
           " done";
}

/// Slurm's time limits are in minutes. For Slurm, 0 means no limit, so this returns at least 1.
std::string limit_of(std::chrono::seconds left) {
    const auto minutes = std::chrono::floor<std::chrono::minutes>(left).count();
    return std::to_string(std::max<long long>(1, minutes));
}

SlurmCommands::Words list_waiting_in(const std::string& partition, const char* format) {
    return {"squeue",           "--noheader",
            "--states=PENDING", "--partition=" + partition,
            "--sort=-p,i",      std::string("--Format=") + format};
}

SlurmCommands::Words list_all(const char* format) {
    return {"squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING",
            std::string("--Format=") + format};
}

/// A step of one process in a Slurm job, beside its other steps. It gets the variables `passed_on`
/// of `environment`.
SlurmCommands::Words srun_in(SlurmJob job, const char* step, const std::string& passed_on,
                             const Environment& environment) {
    SlurmCommands::Words words{"/usr/bin/env"};
    for (const auto& [name, value] : environment)
        if (misleads_slurm(name)) words.insert(words.end(), {"-u", name});
    words.insert(
        words.end(),
        {"srun", "--jobid=" + number_of(job), "--nodes=1", "--ntasks=1", "--overlap", "--mpi=none",
         "--cpu-bind=none", "--no-kill", "--wait=0", "--kill-on-bad-exit=0", "--quiet",
         std::string("--job-name=") + step, "--chdir=/", "--export=" + passed_on});
    return words;
}

bool is_for_agents(std::string_view name) {
    static const std::vector<std::string_view> names{"HOME",   "LANG", "LOGNAME", "PATH",
                                                     "TMPDIR", "TZ",   "USER"};
    return std::ranges::find(names, name) != names.end() || name.starts_with("LC_") ||
           name.starts_with("DUCTILE_");
}

}  // namespace

bool misleads_slurm(std::string_view name) {
    if (name == "SLURM_CONF") return false;
    return std::ranges::any_of(
        std::vector<std::string_view>{"SLURM_", "SLURMD_", "SRUN_", "SALLOC_", "SBATCH_", "SQUEUE_",
                                      "SCANCEL_", "SCONTROL_", "SINFO_", "SACCT_", "PMI_", "PMIX_"},
        [name](std::string_view beginning) { return name.starts_with(beginning); });
}

SlurmCommands::Words SlurmCommands::show(SlurmJob job) {
    return {"scontrol", "--details", "--oneliner", "show", "job", number_of(job)};
}

SlurmCommands::Words SlurmCommands::sidecar(const HostConstraints& host,
                                            std::optional<std::chrono::seconds> left,
                                            bool before_waiting_jobs) const {
    Words words{"--job-name=" + name_, "--nodes=1", "--exclusive",
                "--comment=for " + number_of(parent_.job)};
    const auto add = [&words](const char* option, const std::string& value) {
        if (!value.empty()) words.push_back(option + value);
    };
    add("--partition=", parent_.partition);
    add("--account=", parent_.account);
    add("--qos=", parent_.qos);
    add("--exclude=", joined(host.exclude));
    if (host.min_slots > 1) add("--mincpus=", std::to_string(host.min_slots));
    if (left) add("--time=", limit_of(*left));
    if (before_waiting_jobs) add("--nice=-", std::to_string(raise_above_all));
    return words;
}

SlurmCommands::Words SlurmCommands::submit(const HostConstraints& host,
                                           std::optional<std::chrono::seconds> left,
                                           bool before_waiting_jobs) const {
    Words words{
        "sbatch", "--parsable", "--no-requeue", "--chdir=/", "--input=/dev/null",
        "--output=/dev/null", "--error=/dev/null",
        // The script outlives sbatch. Processes with the mark of sbatch are killed after it.
        std::string("--export=ALL,") + command_mark + "=none"};
    for (auto& word : sidecar(host, left, before_waiting_jobs)) words.push_back(std::move(word));
    words.push_back("--wrap=" + watch_of(parent_.job));
    return words;
}

SlurmCommands::Words SlurmCommands::allocate(const HostConstraints& host,
                                             std::optional<std::chrono::seconds> left,
                                             bool before_waiting_jobs, bool is_to_merge) const {
    Words words{"salloc", "--immediate", "--no-shell"};
    if (is_to_merge) words.push_back("--dependency=expand:" + number_of(parent_.job));
    for (auto& word : sidecar(host, left, before_waiting_jobs)) words.push_back(std::move(word));
    return words;
}

SlurmCommands::Words SlurmCommands::give_up_hosts(SlurmJob sidecar) {
    return {"scontrol", "update", "jobid=" + number_of(sidecar), "numnodes=0"};
}

SlurmCommands::Words SlurmCommands::take_hosts() const {
    return {"scontrol", "update", "jobid=" + number_of(parent_.job), "numnodes=ALL"};
}

SlurmCommands::Words SlurmCommands::watch(SlurmJob sidecar, const Environment& environment) const {
    auto words =
        srun_in(sidecar, "ductile-watch", "HOME,LOGNAME,PATH,SLURM_CONF,USER", environment);
    for (std::string word : {"--output=none", "--error=none", "/bin/sh", "-c"})
        words.push_back(std::move(word));
    words.push_back("(" + watch_of(parent_.job) + "); scancel --quiet " + number_of(sidecar));
    return words;
}

SlurmCommands::Words SlurmCommands::list() const {
    return {"squeue",          "--noheader",
            "--states=all",    "--user=" + std::to_string(parent_.user),
            "--name=" + name_, std::string("--format=") + listed_format};
}

SlurmCommands::Words SlurmCommands::list_waiting() const {
    return list_waiting_in(parent_.partition, waiting_format);
}

SlurmCommands::Words SlurmCommands::list_waiting_of_all(const std::string& partition) {
    return list_waiting_in(partition, waiting_format_without_texts);
}

SlurmCommands::Words SlurmCommands::list_hosts(const std::string& partition) {
    return {"sinfo", "--noheader", "--partition=" + partition,
            std::string("--format=") + hosts_format};
}

SlurmCommands::Words SlurmCommands::list_site() {
    return list_all(site_format);
}

SlurmCommands::Words SlurmCommands::list_sidecars() {
    return list_all(sidecar_format);
}

SlurmCommands::Words SlurmCommands::list_priorities() {
    return {"squeue", "--noheader", "--states=PENDING", "--sort=-p,i",
            std::string("--format=") + priority_format};
}

SlurmCommands::Words SlurmCommands::list_priority(policy::WaitingJobId job) {
    return {"squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED",
            "--jobs=" + std::to_string(job.value), std::string("--format=") + priority_format};
}

SlurmCommands::Words SlurmCommands::set_nice(policy::WaitingJobId job, std::int64_t nice) {
    return {"scontrol", "update", "jobid=" + std::to_string(job.value),
            "nice=" + std::to_string(nice)};
}

SlurmCommands::Words SlurmCommands::list_steps() const {
    return {"squeue", "--noheader", "--steps", "--jobs=" + number_of(parent_.job),
            std::string("--format=") + steps_format};
}

SlurmCommands::Words SlurmCommands::shrink_parent(const std::vector<std::string>& kept) const {
    return {"scontrol", "update", "jobid=" + number_of(parent_.job), "nodelist=" + joined(kept)};
}

SlurmCommands::Words SlurmCommands::cancel_all() const {
    return {"scancel", "--quiet", "--user=" + std::to_string(parent_.user), "--name=" + name_};
}

SlurmCommands::Words SlurmCommands::cancel(const std::vector<SlurmJob>& jobs) {
    Words words{"scancel", "--quiet"};
    for (const auto job : jobs) words.push_back(number_of(job));
    return words;
}

SlurmCommands::Words SlurmCommands::run_on(const std::string& host, SlurmJob job, const Words& argv,
                                           const Environment& environment) {
    std::vector<std::string> passed_on;
    for (const auto& [name, value] : environment)
        if (is_for_agents(name)) passed_on.push_back(name);
    auto words = srun_in(job, "ductile-agent", joined(passed_on), environment);
    words.push_back("--nodelist=" + host);
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
}

Environment environment_for_slurm(const Environment& whole) {
    Environment kept{{"LC_ALL", "C"}};
    for (const char* name : {"HOME", "LOGNAME", "PATH", "SLURM_CONF", "USER"})
        if (const auto it = whole.find(name); it != whole.end()) kept.insert(*it);
    return kept;
}

}  // namespace ductile::rms
