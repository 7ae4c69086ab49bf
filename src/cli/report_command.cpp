#include "cli/report_command.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

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

// A reader knows what is wrong, this knows in which file.
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

void write_report(const std::string& events, const std::string& field, const std::string& page) {
    const auto library = charting_library();
    const auto timeline = read_file(events, report::read_timeline);
    std::optional<report::FieldPicture> picture;
    if (!field.empty()) picture = read_file(field, report::read_field);
    std::ofstream file(page, std::ios::binary | std::ios::trunc);
    file << report::render_page(timeline, picture, library);
    file.close();
    if (!file) throw SystemError("cannot write the page " + page);
}

void add_report_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string events, field, page = "ductile-report.html";
    };
    auto* command = app.add_subcommand(
        "report", "Draw a job's event records (`ductile run --events FILE`) as one HTML page");
    auto options = std::make_shared<Options>();
    command->add_option("EVENTS", options->events, "event records, JSON lines")->required();
    command->add_option("--field", options->field, "a field that `heat --field` wrote")
        ->type_name("FILE");
    command->add_option("-o,--output", options->page, "the page")
        ->type_name("FILE")
        ->capture_default_str();
    command->callback([options, &exit_code] {
        expect_place_for("--output", options->page);
        write_report(options->events, options->field, options->page);
        std::cerr << "page written: " << options->page << "\n";
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
