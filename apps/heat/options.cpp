#include "heat/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace heat {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Solves the 2-D heat equation, in a job that can grow and shrink. "
        "Start it with: ductile run ... -- heat"};
    app.add_option("--rows", options.rows, "number of rows of the grid")
        ->check(CLI::Range(3, 1 << 30))
        ->capture_default_str();
    app.add_option("--cols", options.cols, "number of columns of the grid")
        ->check(CLI::Range(3, 1 << 24))
        ->capture_default_str();
    app.add_option("--steps", options.steps, "number of iterations")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "number that chooses the hot discs of the initial field")
        ->capture_default_str();
    app.add_option("--until", options.until,
                   "end within 16 iterations after this file exists (default: no file)");
    app.add_option("--field", options.field,
                   "write the final field to this file (default: no file)");
    app.add_flag("--checksum", options.checksum, "print a checksum of the final field");
    app.add_option("--report-every", options.report_every_s,
                   "seconds between lines of progress; 0: no lines")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    return options;
}

}  // namespace heat
