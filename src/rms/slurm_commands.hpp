// The command lines for Slurm that a job's resource manager runs. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/views.hpp"
#include "rms/command_environment.hpp"
#include "rms/slurm_sidecars.hpp"

namespace ductile::rms {

/// The first Slurm that has all options of these commands: srun's --overlap is the newest.
inline constexpr SlurmVersion oldest_slurm{20, 11};

/// The name of a sidecar is this prefix and the id of the job of `ductile run`.
inline constexpr const char* sidecar_prefix = "ductile-";

class SlurmCommands {
  public:
    using Words = std::vector<std::string>;

    /// `job`: the id of the job of `ductile run`. `parent`: the Slurm job whose hosts that job
    /// uses. Sidecars are further Slurm jobs for that job. They get the partition, account and QOS
    /// of the parent.
    SlurmCommands(std::string job, ShownJob parent)
        : name_(sidecar_prefix + std::move(job)), parent_(std::move(parent)) {}

    static Words version() { return {"sinfo", "--version"}; }
    static Words config() { return {"scontrol", "show", "config"}; }
    static Words show(SlurmJob job);
    [[nodiscard]] Words show_parent() const { return show(parent_.job); }
    /// Submits a sidecar of one host. The sidecar ends after the time `left`, or earlier if the
    /// parent ends. Without `left`, the time limit is Slurm's default. `before_waiting_jobs`: the
    /// sidecar gets a higher priority than all waiting jobs. Slurm allows this to operators only.
    [[nodiscard]] Words submit(const HostConstraints& host,
                               std::optional<std::chrono::seconds> left,
                               bool before_waiting_jobs = false) const;
    /// Asks for a sidecar of one host immediately, or not at all. Slurm answers at once, while a
    /// job of submit() waits for up to 3 s, even if hosts are idle. This sidecar has no script:
    /// watch() is to be run in it. `is_to_merge`: the parent is to get its host.
    [[nodiscard]] Words allocate(const HostConstraints& host,
                                 std::optional<std::chrono::seconds> left,
                                 bool before_waiting_jobs = false, bool is_to_merge = false) const;
    /// The two steps that move the host of a sidecar into the parent.
    static Words give_up_hosts(SlurmJob sidecar);
    [[nodiscard]] Words take_hosts() const;
    /// Runs in the sidecar until the parent has ended, and then ends the sidecar, in case nobody
    /// cancels it. `environment`: as in run_on().
    [[nodiscard]] Words watch(SlurmJob sidecar, const Environment& environment) const;
    /// Lists all sidecars of the job, also those that an earlier broker submitted.
    [[nodiscard]] Words list() const;
    /// Lists the jobs that wait in the parent's partition, by priority.
    [[nodiscard]] Words list_waiting() const;
    /// Counts the hosts of the parent's partition.
    [[nodiscard]] Words list_hosts() const { return list_hosts(parent_.partition); }
    static Words list_hosts(const std::string& partition);
    /// For a policy of the whole site: the jobs of all users that wait or run, those of them that
    /// look like sidecars, and the jobs that wait in a partition.
    static Words list_site();
    static Words list_sidecars();
    static Words list_waiting_of_all(const std::string& partition);
    /// Lists the priorities of all waiting jobs, the highest first.
    static Words list_priorities();
    /// Lists the priority of a job that has not ended.
    static Words list_priority(policy::WaitingJobId job);
    /// Sets the nice value of a job. A lower value gives a higher priority. Only operators may set
    /// a negative value.
    static Words set_nice(policy::WaitingJobId job, std::int64_t nice);
    /// Lists the job steps of the parent.
    [[nodiscard]] Words list_steps() const;
    /// Takes all hosts except `kept` out of the parent.
    [[nodiscard]] Words shrink_parent(const std::vector<std::string>& kept) const;
    /// Cancels all sidecars of the job.
    [[nodiscard]] Words cancel_all() const;
    static Words cancel(const std::vector<SlurmJob>& jobs);
    /// Runs `argv` on a host of a Slurm job, beside the other programs on this host. `argv` gets
    /// the standard input of the command. `environment`: the environment of the caller, of which
    /// `argv` gets only the variables that an agent needs.
    static Words run_on(const std::string& host, SlurmJob job, const Words& argv,
                        const Environment& environment);

  private:
    /// The options of a sidecar that sbatch and salloc have in common.
    [[nodiscard]] Words sidecar(const HostConstraints& host,
                                std::optional<std::chrono::seconds> left,
                                bool before_waiting_jobs) const;

    std::string name_;
    ShownJob parent_;
};

/// Returns only the variables of `whole` that Slurm's commands need, and LC_ALL=C. All others are
/// left out: a variable of the user, or of a surrounding Slurm job, could change what the commands
/// do.
Environment environment_for_slurm(const Environment& whole);

/// Whether Slurm's commands would read options from the environment variable of this name.
bool misleads_slurm(std::string_view name);

}  // namespace ductile::rms
