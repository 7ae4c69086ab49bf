#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/output_place.hpp"
#include "cli/report_command.hpp"
#include "cli/small_file.hpp"
#include "cli/workload/configuration.hpp"
#include "cli/workload/study_folder.hpp"
#include "cli/workload/workload_command.hpp"
#include "ductile/error.hpp"
#include "report/workload_page.hpp"

namespace ductile::cli {
namespace {

struct ReportOptions {
    std::string folder = "workload", page, csv;
};

std::vector<report::ConfigurationRuns> all_runs(const StudyFolder& folder) {
    std::vector<report::ConfigurationRuns> all;
    for (const auto& configuration : all_configurations) {
        report::ConfigurationRuns runs{std::string(configuration.name), {}};
        for (int repetition = 1;; ++repetition) {
            auto records = folder.results(fmt::format("{}-{}", configuration.name, repetition));
            if (!records) break;
            runs.repetitions.push_back(std::move(*records));
        }
        if (!runs.repetitions.empty()) all.push_back(std::move(runs));
    }
    return all;
}

void write_report(ReportOptions options) {
    if (options.page.empty() && options.csv.empty()) options.page = "ductile-workload.html";
    expect_place_for("--output", options.page);
    expect_place_for("--csv", options.csv);
    const auto folder = StudyFolder::for_results(options.folder);
    const auto runs = all_runs(folder);
    if (runs.empty())
        throw InputError(options.folder +
                         " has no complete run; `ductile workload run` makes some");
    if (!options.csv.empty()) write_small_file(options.csv, report::workload_csv(runs));
    if (!options.page.empty())
        write_small_file(options.page,
                         report::render_workload(folder.study(), runs, charting_library()));
    std::cout << report::workload_summary(folder.study(), runs);
}

}  // namespace

void add_workload_report_command(CLI::App& workload) {
    auto* command = workload.add_subcommand(
        "report", "Draw the results of a study as one HTML page, and print a summary");
    auto options = std::make_shared<ReportOptions>();
    command->add_option("FOLDER", options->folder, "folder of the results")->capture_default_str();
    command
        ->add_option("-o,--output", options->page,
                     "write the page to this file (default: ductile-workload.html, or no page with "
                     "--csv)")
        ->type_name("FILE");
    command->add_option("--csv", options->csv, "write one row for each job to this file")
        ->type_name("FILE");
    command->callback([options] { write_report(*options); });
}

}  // namespace ductile::cli
