// The command line of `cg`.
#pragma once

#include <cstdint>
#include <string>

namespace cg {

struct Options {
    std::string matrix;        ///< a Matrix Market file; empty: the matrix of `side`
    std::int64_t side = 200;   ///< points along each side of the grid that gives the matrix
    double tolerance = 1e-10;  ///< a solve ends at this residual, relative to the right side
    std::int64_t solves = 1;   ///< number of solves, unless `until` ends them earlier
    std::string until;         ///< a file; no further solve begins when it exists
    std::string history;       ///< the file for rank 0's residuals; empty: no file
    std::string write;         ///< the file for the matrix; nothing is solved then; empty: no file
};

/// Reads the command line. With --help or a wrong argument, prints a message and ends the process.
Options parse_options(int argc, char** argv);

}  // namespace cg
