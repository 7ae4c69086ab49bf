#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "cli/argument_checks.hpp"
#include "cli/command_line.hpp"
#include "cli/interrupt.hpp"
#include "cli/workload/study_folder.hpp"
#include "cli/workload/workload_command.hpp"
#include "cli/workload/workload_run.hpp"
#include "ductile/error.hpp"
#include "workload/metrics.hpp"

namespace ductile::cli {
namespace {

std::vector<std::string> configuration_names() {
    std::vector<std::string> names;
    for (const auto& configuration : all_configurations) names.emplace_back(configuration.name);
    return names;
}

struct RunOptions {
    std::string study, folder = "workload";
    std::vector<std::string> configurations = configuration_names();
    int repetitions = 0;  ///< 0: as the study says
};

/// Returns whether all jobs succeeded.
bool run_once(const StudyFolder& folder, const Configuration& configuration, int repetition,
              const Interrupt& interrupt) {
    const auto name = fmt::format("{}-{}", configuration.name, repetition);
    if (const auto kept = folder.results(name)) {
        std::cerr << name << ": its results are there already\n";
        return std::ranges::all_of(*kept, &workload::JobRecord::succeeded);
    }
    std::cerr << name << ": " << folder.study().jobs << " jobs\n";
    folder.begin(name);
    const auto records = run_workload(folder.study(), configuration, folder.place(name), interrupt);
    folder.keep_results(name, records);
    const auto numbers = workload::measure(records, folder.study().hosts);
    std::cerr << fmt::format(
        "{}: makespan {:.0f} s, utilisation {:.1f} %, {:.0f} resizes, {:.0f} jobs failed\n", name,
        numbers.makespan_s, numbers.mean_utilisation * 100, numbers.resizes, numbers.failed_jobs);
    return numbers.failed_jobs == 0;
}

int run(const RunOptions& options) {
    const auto folder = StudyFolder::for_runs(options.folder, options.study);
    const int repetitions =
        options.repetitions > 0 ? options.repetitions : folder.study().repetitions;
    const Interrupt interrupt;
    try {
        bool all_succeeded = true;
        // The configurations take turns, so that a change of the machine affects all of them.
        for (int repetition = 1; repetition <= repetitions; ++repetition)
            for (const auto& name : options.configurations)
                if (!run_once(folder, *configuration_named(name), repetition, interrupt))
                    all_succeeded = false;
        return all_succeeded ? exit_code::ok : exit_code::failed;
    } catch (const Interrupted& end) {
        std::cerr << "ductile: interrupted; the same command continues with the runs that are not "
                     "complete\n";
        return 128 + end.signal;
    }
}

}  // namespace

void add_workload_run_command(CLI::App& workload, int& exit_code) {
    auto* command = workload.add_subcommand(
        "run",
        "Run the jobs of a study on this Slurm, in each configuration; continues where an earlier "
        "call stopped\nExit code: 0 all jobs succeeded, 1 a job failed or Slurm refused, 2 bad "
        "argument");
    auto options = std::make_shared<RunOptions>();
    add_study_options(*command, options->study, options->folder);
    command
        ->add_option("--only", options->configurations,
                     "only these configurations, with commas between them (default: all)")
        ->delimiter(',')
        ->check(one_of(configuration_names()));
    command
        ->add_option("--repetitions", options->repetitions,
                     "how often each configuration runs (default: as the study says)")
        ->check(number_from(1, 1000));
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace ductile::cli
