#include "mpdata/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace mpdata {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Computes how a flow carries a field (3-D advection by MPDATA). Start it with: "
        "ductile run ... -- mpdata INPUT.toml; mpdata_rigid: mpiexec ... mpdata_rigid INPUT.toml"};
    app.add_option("input", options.input,
                   "the input file: grid, scheme, problem and steps, in TOML")
        ->required();
    app.add_option("--steps", options.steps,
                   "the run ends after this step (default: `steps` of the input file)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60));
    app.add_option("--threads", options.threads, "OpenMP threads of each rank")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--until", options.until,
                   "end within 16 steps after this file exists (default: no file)");
    app.add_option(
        "--restart", options.restart,
        "continue with the field and the step of this file, which --field has written (default: "
        "begin with the problem of the input file)");
    app.add_option("--field", options.field,
                   "write the final field to this file, in HDF5 (default: no file)");
    app.add_option(
        "--picture", options.picture,
        "write a picture of the field to this file, every 16 steps and at the end, for `ductile "
        "report --field` (default: no file)");
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

}  // namespace mpdata
