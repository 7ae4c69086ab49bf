#include "cli/submit.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "cli/submit_words.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

/// Becomes sbatch, so its output and its exit code are those of this command.
[[noreturn]] void submit(const std::vector<std::string>& sbatch_options,
                         const std::vector<std::string>& rest) {
    auto words = submit_words(sbatch_options, rest, rms::self_path());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    throw SystemError(std::string("cannot run sbatch: ") + std::strerror(errno));
}

}  // namespace

void add_submit_command(CLI::App& app, const std::vector<std::string>& rest) {
    auto* command = app.add_subcommand(
        "submit",
        "Submit a job to Slurm: ductile submit [SBATCH OPTIONS] -- [RUN OPTIONS --] PROGRAM ..., "
        "where RUN OPTIONS are options of `ductile run`");
    command->prefix_command();  // keeps unknown options: sbatch checks them
    command->callback([command, rest] { submit(command->remaining(), rest); });
}

}  // namespace ductile::cli
