// Checks whether there is a Slurm here with a given job of this user.
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ductile/error.hpp"
#include "rms/command.hpp"
#include "rms/slurm.hpp"
#include "rms/slurm_commands.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr auto find_deadline = std::chrono::seconds(5);
constexpr std::size_t most_said = 200;
constexpr auto pause = std::chrono::seconds(1);

std::string slurm_output(const std::vector<std::string>& words) {
    Command command;
    command.arguments = words;
    command.environment = environment_for_slurm(current_environment());
    command.deadline = find_deadline;
    const auto result = run_command(command);
    if (result.succeeded() && !result.output_dropped) return result.out;
    auto said = result.err.substr(0, most_said);
    said.erase(said.find_last_not_of(" \r\n") + 1);
    throw SystemError("Slurm's " + words.front() + ": " + how_it_ended(command, result) +
                      (said.empty() ? "" : ": " + wire::printable(said)));
}

}  // namespace

FoundSlurmJob find_slurm_job(SlurmJob job) {
    const auto name = "Slurm job " + std::to_string(job.value);
    const auto version = parse_slurm_version(slurm_output(SlurmCommands::version()));
    if (version < oldest_slurm)
        throw SystemError("this Slurm is older than 20.11, whose srun has no --overlap");
    auto shown = parse_shown_job(slurm_output(SlurmCommands::show(job)));
    if (shown.user != ::getuid())
        throw InputError(name + " is another user's (" + std::to_string(shown.user) + ")");
    if (phase_of(shown.state) != SlurmPhase::running)
        throw InputError(name + " is " + shown.state + ", not RUNNING");
    return {std::move(shown), version};
}

FoundSlurmJob find_known_slurm_job(SlurmJob job, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
        try {
            return find_slurm_job(job);
        } catch (const SystemError& error) {
            const bool is_gone =
                std::string_view(error.what()).find("Invalid job id") != std::string_view::npos;
            if (is_gone || std::chrono::steady_clock::now() >= until) throw;
        }
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace ductile::rms
