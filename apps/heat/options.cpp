#include "heat/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace heat {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{"2-D heat equation that grows and shrinks with its job: ductile run ... -- heat"};
    app.add_option("--rows", options.rows, "rows of the grid")
        ->check(CLI::Range(3, 1 << 30))
        ->capture_default_str();
    app.add_option("--cols", options.cols, "columns of the grid")
        ->check(CLI::Range(3, 1 << 24))
        ->capture_default_str();
    app.add_option("--steps", options.steps, "steps to compute")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "chooses the hot discs")->capture_default_str();
    app.add_option("--until", options.until, "end soon after this file has appeared");
    app.add_option("--field", options.field, "write the final field to this file");
    app.add_flag("--checksum", options.checksum, "print a checksum of the final field");
    app.add_option("--report-every", options.report_every_s, "seconds between lines of progress")
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
