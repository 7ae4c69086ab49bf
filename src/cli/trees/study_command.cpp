#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/argument_checks.hpp"
#include "cli/command_line.hpp"
#include "cli/output_place.hpp"
#include "cli/report_command.hpp"
#include "cli/trees/study_records.hpp"
#include "cli/trees/study_summary.hpp"
#include "cli/trees/trees_command.hpp"
#include "ductile/error.hpp"
#include "report/tree_study_page.hpp"
#include "sim/table_ii.hpp"

namespace ductile::cli {

namespace {

constexpr const char* standard_output = "-";

struct StudyCommandOptions {
    std::string page, csv, json;  ///< empty: not wanted
    sim::StudyOptions study;
};

void write(const std::string& path, const std::string& what, const std::string& text) {
    if (path == standard_output) {
        std::cout << text;
        return;
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) throw SystemError("cannot write the " + what + " " + path);
    std::cerr << what << " written: " << path << "\n";
}

void study(StudyCommandOptions options) {
    if (options.page.empty() && options.csv.empty() && options.json.empty())
        options.page = "ductile-trees.html";
    if (options.csv == standard_output && options.json == standard_output)
        throw InputError("--csv and --json are both '-': standard output takes one of them");
    const auto same = [](const std::string& a, const std::string& b) {
        return !a.empty() && a == b;
    };
    if (same(options.csv, options.json) || same(options.page, options.csv) ||
        same(options.page, options.json))
        throw InputError("two of --output, --csv and --json name the same file");
    if (options.page == standard_output)
        throw InputError("--output is '-', but a page goes to a file");
    expect_place_for("--output", options.page);
    if (options.csv != standard_output) expect_place_for("--csv", options.csv);
    if (options.json != standard_output) expect_place_for("--json", options.json);
    const auto library = options.page.empty() ? std::string() : charting_library();
    std::cerr << "simulating Table II with up to " << options.study.most_processes
              << " processes: the network's costs are fitted on the centralized rows, then every "
                 "cell is run (about a minute for 131072 on two cores)\n";
    const auto result = sim::study_trees(options.study);
    if (!options.json.empty())
        write(options.json, "JSON", study_json(result, options.study.seed).dump(2) + "\n");
    if (!options.csv.empty()) write(options.csv, "CSV", study_csv(result));
    if (!options.page.empty())
        write(options.page, "page", report::render_tree_study(result, options.study.seed, library));
    if (options.csv != standard_output && options.json != standard_output)
        std::cout << study_summary(result);
}

}  // namespace

void add_trees_study_command(CLI::App& trees, int& exit_code) {
    auto* command = trees.add_subcommand(
        "study",
        "Simulate the trees of Table II and Figures 6 to 8 of the paper, and compare with its "
        "results");
    auto options = std::make_shared<StudyCommandOptions>();
    command
        ->add_option(
            "-o,--output", options->page,
            "write the page to this file (default: ductile-trees.html, or no page with --json or "
            "--csv)")
        ->type_name("FILE");
    command
        ->add_option("--csv", options->csv,
                     "write the rows as CSV to this file (-: standard output)")
        ->type_name("FILE");
    command
        ->add_option("--json", options->json,
                     "write all results as JSON to this file (-: standard output)")
        ->type_name("FILE");
    command
        ->add_option("--processes", options->study.most_processes,
                     "size of the largest parent group to simulate")
        ->check(number_from(sim::table_ii_processes.front(), sim::table_ii_processes.back()))
        ->capture_default_str();
    command->add_option("--seed", options->study.seed, "seed of the random choice of members")
        ->check(number_from(0U, std::numeric_limits<unsigned>::max()))
        ->capture_default_str();
    command->callback([options, &exit_code] {
        study(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
