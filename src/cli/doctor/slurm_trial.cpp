#include "cli/doctor/slurm_trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "cli/doctor/examine.hpp"
#include "cli/site_file.hpp"
#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_output.hpp"
#include "site/site_call.hpp"

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

SiteSeen site_of(const std::string& file) {
    try {
        static_cast<void>(read_site_file(file));
        return {file, {true, {}}};
    } catch (const InputError& error) {
        return {file, {false, error.what()}};
    }
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
    void sidecar(SlurmSeen& seen) const {
        const auto name =
            fmt::format("ductile-doctor-{}-{:08x}", ::getpid(), std::random_device{}());
        const Words cancel{"scancel", "--quiet", "--user=" + std::to_string(::getuid()),
                           "--name=" + name};
        try {
            try_sidecar(name, seen);
        } catch (...) {
            static_cast<void>(ask(cancel, false));
            throw;
        }
        seen.trial->ended = ask(cancel, false);
    }

  private:
    void expect_no_interruption() const {
        pollfd descriptor{options_.cancel_on, POLLIN, 0};
        if (options_.cancel_on >= 0 && ::poll(&descriptor, 1, 0) > 0) throw ExaminationCancelled();
    }

    /// The job is granted at once, or not at all.
    static std::optional<rms::SlurmJob> allocate(const Words& words) {
        asio::io_context io;
        rms::SlurmClient client;
        client.attach(io);
        std::optional<rms::SlurmJob> granted;
        bool is_over = false;
        client.allocate(words, [&](const auto& answer) {
            is_over = true;
            if (const auto* job = std::get_if<rms::SlurmJob>(&answer)) granted = *job;
        });
        while (!is_over && io.run_one() > 0) {
        }
        client.stop();
        return granted;
    }

    /// Asks as the job of one host would.
    void ask_ductiled(rms::SlurmJob job, SiteSeen& site) const {
        if (!site.answer.worked || site.file.empty()) return;
        const auto address = read_site_file(site.file).address;
        policy::JobView view;
        view.hosts.resize(1);
        view.min = view.max = 1;
        asio::io_context io;
        site::Munge munge(io, address.munge_socket);
        const site::SiteCall call(
            io, munge, address, {policy::SiteJobId{job.value}, view}, [&site](const auto& answer) {
                site.was_asked = true;
                const auto* failed = std::get_if<site::SiteCall::Failed>(&answer);
                if (failed != nullptr) site.answer = {false, failed->why};
            });
        while (!site.was_asked && io.run_one() > 0) {
        }
    }

    void try_sidecar(const std::string& name, SlurmSeen& seen) const {
        auto& trial = seen.trial.emplace();
        Words job{"--job-name=" + name, "--nodes=1", "--exclusive", "--time=2", "--chdir=/"};
        if (!options_.partition.empty()) job.push_back("--partition=" + options_.partition);
        if (!options_.account.empty()) job.push_back("--account=" + options_.account);
        const auto with = [&job](Words words) {
            words.insert(words.end(), job.begin(), job.end());
            return words;
        };
        const auto begin = Clock::now();
        std::string number;
        const auto granted = allocate(with({"salloc", "--immediate", "--no-shell"}));
        expect_no_interruption();
        if (granted) {
            trial.was_idle = true;
            trial.submitted = {true, {}};
            number = std::to_string(granted->value);
        } else {
            auto submit = with({"sbatch", "--parsable", "--no-requeue", "--deadline=now+4minutes",
                                "--output=/dev/null", "--error=/dev/null"});
            submit.emplace_back("--wrap=sleep 110");
            trial.submitted = ask(submit, false);  // a cancelled sbatch may leave a job behind
            if (!trial.submitted.worked) return;
            try {
                number = std::to_string(rms::parse_submitted(trial.submitted.text).value);
            } catch (const InputError& error) {
                trial.submitted = {false, error.what()};
                return;
            }
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
                ask_ductiled(rms::parse_slurm_job(number), seen.site);
                expect_no_interruption();
                break;
            }
            if (trial.listed.worked && !may_still_start(trial.state)) break;
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, longest_pause);
        } while (Clock::now() - begin < grant_limit);
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
    seen.config = trial.ask(rms::SlurmCommands::config());
    if (!seen.config.worked) {
        options.progress("");
        return seen;
    }
    seen.associations =
        trial.ask({"sacctmgr", "--noheader", "--parsable2", "--readonly", "show", "associations",
                   "users=" + own_name(), std::string("format=") + association_format});
    if (!options.site_file.empty()) seen.site = site_of(options.site_file);
    options.progress("a sidecar");
    trial.sidecar(seen);
    options.progress("");
    return seen;
}

}  // namespace ductile::cli
