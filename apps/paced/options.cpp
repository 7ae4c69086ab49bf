#include "paced/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace paced {

Options parse_options(int argc, char** argv) {
    Options options;
    std::string curve = "1:1";
    CLI::App app{
        "Stands in for an application with known iteration times: each iteration sleeps, and a "
        "resize moves data. Start it with: ductile run ... -- paced"};
    app.add_option("--iterations", options.iterations, "number of iterations")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60))
        ->capture_default_str();
    app.add_option(
           "--curve", curve,
           "seconds of an iteration by ranks, such as 1:8.9,2:3.4; between two entries, the entry "
           "with fewer ranks counts")
        ->capture_default_str();
    app.add_option("--scale", options.scale, "factor by which all times are multiplied")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--mib", options.mib, "data that resizes move, in MiB for the whole job")
        ->check(CLI::Range(0.0, 16777216.0))
        ->capture_default_str();
    try {
        app.parse(argc, argv);
        options.curve = parse_curve(curve);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "paced: %s\n", error.what());
        std::exit(2);
    }
    return options;
}

}  // namespace paced
