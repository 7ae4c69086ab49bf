#include "mpdata/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace mpdata {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{"3-D advection by MPDATA: ductile run ... -- mpdata INPUT.toml"};
    app.add_option("input", options.input, "the input file, TOML")->required();
    app.add_option("--steps", options.steps, "steps to compute, in place of the input file's")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60));
    app.add_option("--threads", options.threads, "threads of each rank")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--until", options.until, "end soon after this file has appeared");
    app.add_option("--restart", options.restart, "go on with the field of this file");
    app.add_option("--field", options.field, "write the final field to this file, HDF5");
    app.add_option("--picture", options.picture,
                   "draw the field to this file, every 16 steps and at the end");
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

}  // namespace mpdata
