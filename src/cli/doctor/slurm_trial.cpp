#include "cli/doctor/slurm_trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "cli/doctor/examine.hpp"
#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::cli {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr auto command_deadline = 20s;
constexpr auto grant_limit = 30s;
constexpr std::chrono::milliseconds first_pause = 100ms, longest_pause = 2s;
constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t most_shown = 300;

std::string own_name() {
    const auto* entry = ::getpwuid(::getuid());
    return entry == nullptr ? std::to_string(::getuid()) : entry->pw_name;
}

class Trial {
  public:
    explicit Trial(const SlurmTrialOptions& options) : options_(options) {}

    SlurmAnswer ask(const Words& words, bool may_be_cancelled = true) const {
        if (may_be_cancelled) expect_no_interruption();
        rms::Command command;
        command.arguments = words;
        command.environment = rms::environment_for_slurm(rms::current_environment());
        command.deadline = command_deadline;
        command.max_output_bytes = most_output;
        if (may_be_cancelled && options_.cancel_on >= 0) command.cancel_on = {options_.cancel_on};
        const auto result = rms::run_command(command);
        if (result.ended == rms::Ended::cancelled) throw ExaminationCancelled();
        if (result.succeeded()) return {true, result.out};
        auto said = result.err.substr(0, most_shown);
        said.erase(said.find_last_not_of(" \r\n") + 1);
        return {false,
                words.front() + ": " + (said.empty() ? rms::how_it_ended(command, result) : said)};
    }

    /// The job is cancelled in any case, by its name, because its number may not be known.
    SidecarTrial sidecar() const {
        const auto name =
            fmt::format("ductile-doctor-{}-{:08x}", ::getpid(), std::random_device{}());
        const Words cancel{"scancel", "--quiet", "--user=" + std::to_string(::getuid()),
                           "--name=" + name};
        SidecarTrial trial;
        try {
            trial = try_sidecar(name);
        } catch (...) {
            static_cast<void>(ask(cancel, false));
            throw;
        }
        trial.ended = ask(cancel, false);
        return trial;
    }

  private:
    void expect_no_interruption() const {
        pollfd descriptor{options_.cancel_on, POLLIN, 0};
        if (options_.cancel_on >= 0 && ::poll(&descriptor, 1, 0) > 0) throw ExaminationCancelled();
    }

    SidecarTrial try_sidecar(const std::string& name) const {
        SidecarTrial trial;
        Words submit{
            "sbatch",      "--parsable",         "--job-name=" + name, "--nodes=1",
            "--exclusive", "--no-requeue",       "--time=2",           "--deadline=now+4minutes",
            "--chdir=/",   "--output=/dev/null", "--error=/dev/null",  "--wrap=sleep 110"};
        if (!options_.partition.empty()) submit.push_back("--partition=" + options_.partition);
        if (!options_.account.empty()) submit.push_back("--account=" + options_.account);
        const auto begin = Clock::now();
        trial.submitted = ask(submit, false);  // a cancelled sbatch may leave a job behind
        if (!trial.submitted.worked) return trial;
        std::string number;
        try {
            number = std::to_string(rms::parse_submitted(trial.submitted.text).value);
        } catch (const InputError& error) {
            trial.submitted = {false, error.what()};
            return trial;
        }
        auto pause = first_pause;
        do {
            trial.listed = ask({"squeue", "--noheader", "--jobs=" + number, "--format=%T (%r)"});
            trial.waited_s = std::chrono::duration<double>(Clock::now() - begin).count();
            trial.state = trial.listed.text.substr(0, trial.listed.text.find('\n'));
            if (trial.listed.worked && trial.state.starts_with("RUNNING")) {
                trial.granted_after_s = trial.waited_s;
                trial.step =
                    ask({"srun", "--jobid=" + number, "--nodes=1", "--ntasks=1", "--overlap",
                         "--mpi=none", "--input=none", "--quiet", "--chdir=/", "true"});
                break;
            }
            if (trial.listed.worked && !may_still_start(trial.state)) break;
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, longest_pause);
        } while (Clock::now() - begin < grant_limit);
        return trial;
    }

    const SlurmTrialOptions& options_;
};

}  // namespace

SlurmSeen examine_slurm(const SlurmTrialOptions& options) {
    const Trial trial(options);
    SlurmSeen seen;
    options.progress("the version");
    seen.version = trial.ask(rms::SlurmCommands::version());
    options.progress("the configuration");
    seen.config = trial.ask({"scontrol", "show", "config"});
    if (!seen.config.worked) {
        options.progress("");
        return seen;
    }
    seen.associations =
        trial.ask({"sacctmgr", "--noheader", "--parsable2", "--readonly", "show", "associations",
                   "users=" + own_name(), std::string("format=") + association_format});
    options.progress("a sidecar");
    seen.trial = trial.sidecar();
    options.progress("");
    return seen;
}

}  // namespace ductile::cli
