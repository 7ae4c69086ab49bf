#include "cli/workload/workload_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/small_file.hpp"
#include "cli/workload/plan_text.hpp"

namespace ductile::cli {

void add_study_options(CLI::App& command, std::string& study, std::string& folder) {
    command.add_option("STUDY", study, "the file of the study (TOML)")->required();
    command
        .add_option("-d,--directory", folder,
                    "folder of the results, which all hosts see; it is made if it is missing")
        ->type_name("FOLDER")
        ->capture_default_str();
}

void add_workload_plan_command(CLI::App& workload) {
    auto* command = workload.add_subcommand(
        "plan", "Show the classes and jobs of a study, without running them");
    auto file = std::make_shared<std::string>();
    command->add_option("STUDY", *file, "the file of the study (TOML)")->required();
    command->callback([file] {
        std::cout << plan_text(workload::parse_study(read_small_file(*file, "study"), *file));
    });
}

void add_workload_command(CLI::App& app, int& exit_code) {
    auto* workload = app.add_subcommand(
        "workload",
        "Study a workload of malleable jobs on a Slurm (paper: dmr-slurm-mpdata in "
        "docs/bibliography.md)");
    workload->require_subcommand(1);
    add_workload_plan_command(*workload);
    add_workload_measure_command(*workload, exit_code);
    add_workload_run_command(*workload, exit_code);
    add_workload_report_command(*workload);
}

}  // namespace ductile::cli
