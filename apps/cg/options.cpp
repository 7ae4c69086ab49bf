#include "cg/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace cg {

Options parse_options(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Solves a sparse linear system by conjugate gradients, in a job that can grow and shrink. "
        "Start it with: ductile run ... -- cg"};
    auto* matrix =
        app.add_option("--matrix", options.matrix,
                       "Matrix Market file with a symmetric positive definite matrix (default: no "
                       "file; the matrix of --side)");
    app.add_option(
           "--side", options.side,
           "without --matrix: points along each side of the square grid that gives the matrix")
        ->check(CLI::Range(4, 20000))
        ->capture_default_str()
        ->excludes(matrix);
    app.add_option("--tolerance", options.tolerance,
                   "a solve ends at this residual, relative to the norm of the right side")
        ->check(CLI::Range(1e-15, 1.0))
        ->capture_default_str();
    app.add_option("--solves", options.solves, "number of solves, each of which begins at zero")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
        ->capture_default_str();
    app.add_option("--until", options.until,
                   "begin no further solve when this file exists (default: no file)");
    app.add_option("--history", options.history,
                   "write a line for each iteration to this file: number of the solve, iteration, "
                   "relative residual (default: no file)");
    app.add_option("--write", options.write,
                   "write the matrix to this Matrix Market file, and solve nothing");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    return options;
}

}  // namespace cg
