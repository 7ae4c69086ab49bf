#include "cli/doctor/probe_runs.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/doctor/probe_output.hpp"
#include "rms/command.hpp"

namespace ductile::cli {
namespace {

using std::chrono::milliseconds;

constexpr auto others_may_take = std::chrono::seconds(3);
constexpr auto repetitions_may_take = std::chrono::seconds(8);  // a busy machine makes fewer
constexpr auto descendants_may_take = milliseconds(1000);

/// A flag that poll() can wait for.
class StopFlag {
  public:
    StopFlag() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    ~StopFlag() { close(descriptor_); }
    StopFlag(const StopFlag&) = delete;
    StopFlag& operator=(const StopFlag&) = delete;
    void raise() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof one);
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

rms::Command command_of(const Probe& probe, const ProbeRun& run, int number,
                        const ProbeSetting& setting) {
    rms::Command command;
    if (run.ranks > 0) {
        command.arguments = setting.launcher;
        command.arguments.insert(command.arguments.end(), {"-n", std::to_string(run.ranks)});
    }
    for (const auto& word :
         {(setting.folder / probe.name).string(), run.role, setting.folder.string()})
        command.arguments.push_back(word);
    // If a run of this probe is repeated, each repetition gets its number. The other runs get the
    // number of repetitions.
    int repeated = 1;
    for (const auto& each : probe.runs) repeated = std::max(repeated, each.times);
    if (repeated > 1)
        command.arguments.push_back(std::to_string(run.times > 1 ? number : repeated));
    command.environment = setting.environment;
    if (probe.name == "thread_level")
        command.environment["MPIR_CVAR_DEBUG_SUMMARY"] = "1";  // names the netmod
    command.directory = setting.folder;
    command.deadline = setting.deadline;
    command.settle = descendants_may_take;
    return command;
}

/// The result of one run with its repetitions (ProbeRun::times).
struct RunOutcome {
    bool over = false;
    bool failed = false;
    std::string trouble;
    std::string out;
    std::vector<std::string> left_behind;
};

RunOutcome follow(const Probe& probe, const ProbeRun& run, const ProbeSetting& setting,
                  const StopFlag& stop) {
    RunOutcome outcome;
    const auto enough = std::chrono::steady_clock::now() + repetitions_may_take;
    for (int number = 0; number < run.times && !outcome.failed; ++number) {
        if (number > 0 && std::chrono::steady_clock::now() > enough) break;
        auto command = command_of(probe, run, number, setting);
        command.cancel_on = {stop.descriptor(), setting.cancel_on};
        const auto result = rms::run_command(command);
        outcome.out = result.out;
        for (const auto& left : result.left_behind)
            outcome.left_behind.push_back(left.command_line);
        if (result.succeeded()) continue;
        outcome.failed = true;
        outcome.trouble = trouble_in(result.err);
        const bool was_stopped =
            result.ended == rms::Ended::deadline_passed || result.ended == rms::Ended::cancelled;
        if (outcome.trouble.empty() || was_stopped)
            outcome.trouble = (run.role == "program" ? "" : "the " + run.role + ": ") +
                              rms::how_it_ended(command, result);
        else if (result.code != 1)
            outcome.trouble += " (" + rms::how_it_ended(command, result) + ")";
    }
    return outcome;
}

/// Why the probe failed: the trouble of the first run that failed and must not fail. If there is
/// none, the trouble of the program. Empty if the probe has passed.
std::string trouble_of(const std::vector<RunOutcome>& outcomes, std::size_t first_failed,
                       bool has_passed) {
    if (first_failed < outcomes.size()) return outcomes[first_failed].trouble;
    if (has_passed) return {};
    return outcomes.front().failed ? outcomes.front().trouble : "it did not come to its end";
}

}  // namespace

ProbeResult run_probe(const Probe& probe, const ProbeSetting& setting) {
    const StopFlag stop;
    std::mutex lock;
    std::condition_variable news;
    std::vector<RunOutcome> outcomes(probe.runs.size());
    std::size_t first_failed = outcomes.size();

    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        threads.emplace_back([&, i] {
            const ProbeRun& run = probe.runs[i];
            auto outcome = follow(probe, run, setting, stop);
            if (!outcome.failed && outcome.left_behind.empty())
                std::ofstream(setting.folder / (run.role + "_gone.0")) << "\n";
            const std::lock_guard guard(lock);
            outcomes[i] = std::move(outcome);
            outcomes[i].over = true;
            if (outcomes[i].failed && !run.may_fail && first_failed == outcomes.size())
                first_failed = i;
            news.notify_all();
        });
    {
        std::unique_lock guard(lock);
        news.wait(guard, [&] { return outcomes.front().over || first_failed < outcomes.size(); });
        news.wait_for(guard, others_may_take, [&] {
            for (const auto& outcome : outcomes)
                if (!outcome.over) return false;
            return true;
        });
    }
    stop.raise();
    for (auto& thread : threads) thread.join();

    ProbeResult result;
    result.probe = probe.name;
    for (const auto& outcome : outcomes) {
        for (auto& [key, value] : facts_in(outcome.out)) result.facts.emplace(key, value);
        result.left_behind.insert(result.left_behind.end(), outcome.left_behind.begin(),
                                  outcome.left_behind.end());
    }
    const bool has_passed = std::filesystem::exists(setting.folder / "passed.0");
    result.trouble = trouble_of(outcomes, first_failed, has_passed);
    result.state = result.trouble.empty() ? ProbeState::passed : ProbeState::failed;
    return result;
}

}  // namespace ductile::cli
