#include "cg/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace cg {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Conjugate gradients on a sparse matrix whose rows follow the job: ductile run ... -- cg"};
    auto* matrix = app.add_option("--matrix", options.matrix,
                                  "a symmetric positive definite matrix, as a Matrix Market file");
    app.add_option("--side", options.side, "without --matrix: points along a side of the grid")
        ->check(CLI::Range(4, 20000))
        ->capture_default_str()
        ->excludes(matrix);
    app.add_option("--tolerance", options.tolerance,
                   "a solve ends at this residual, in relation to the right side")
        ->check(CLI::Range(1e-15, 1.0))
        ->capture_default_str();
    app.add_option("--solves", options.solves, "solve so many times")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
        ->capture_default_str();
    app.add_option("--until", options.until, "begin no further solve when this file is there");
    app.add_option("--history", options.history,
                   "write a line an iteration to this file: solve, iteration, residual");
    app.add_option("--write", options.write, "write the matrix to this file, and solve nothing");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    return options;
}

}  // namespace cg
