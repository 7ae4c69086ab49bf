#include "cli/report_command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/output_place.hpp"
#include "ductile/error.hpp"
#include "report/page.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

std::ifstream open_to_read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError("cannot read " + path);
    return file;
}

// Adds the name of the file to the errors of a reader.
template <class Read>
auto read_file(const std::string& path, const Read& read) {
    auto file = open_to_read(path);
    try {
        return read(file);
    } catch (const InputError& error) {
        throw InputError(path + ": " + error.what());
    }
}

}  // namespace

std::string charting_library() {
    const auto program = rms::self_path();
    const auto path = program.substr(0, program.rfind('/')) + "/../share/ductile/plotly.min.js";
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw SystemError("cannot draw the page: there is no charting library " + path +
                          "; fetch it with ./demo, or pass -DDUCTILE_PLOTLY_JS=FILE to CMake "
                          "(plotly.min.js of the Python package plotly)");
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_report(const std::string& events, const std::vector<std::string>& fields,
                  const std::string& page) {
    const auto library = charting_library();
    const auto timeline = read_file(events, report::read_timeline);
    std::vector<report::FieldPicture> pictures;
    for (const auto& field : fields) pictures.push_back(read_file(field, report::read_field));
    std::ofstream file(page, std::ios::binary | std::ios::trunc);
    file << report::render_page(timeline, pictures, library);
    file.close();
    if (!file) throw SystemError("cannot write the page " + page);
}

void add_report_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string events, page = "ductile-report.html";
        std::vector<std::string> fields;
    };
    auto* command = app.add_subcommand(
        "report", "Draw a job's event records (`ductile run --events FILE`) as one HTML page");
    auto options = std::make_shared<Options>();
    command->add_option("EVENTS", options->events, "file of event records (JSON lines)")
        ->required();
    command
        ->add_option("--field", options->fields,
                     "draw this field, written by `heat --field` or `mpdata --picture`; you can "
                     "repeat this option")
        ->type_name("FILE")
        ->allow_extra_args(false);
    command->add_option("-o,--output", options->page, "write the page to this file")
        ->type_name("FILE")
        ->capture_default_str();
    command->callback([options, &exit_code] {
        expect_place_for("--output", options->page);
        write_report(options->events, options->fields, options->page);
        std::cerr << "page written: " << options->page << "\n";
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
