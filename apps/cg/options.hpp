// What the user of `cg` may choose.
#pragma once

#include <cstdint>
#include <string>

namespace cg {

struct Options {
    std::string matrix;        ///< a Matrix Market file; empty: `side`
    std::int64_t side = 200;   ///< of the grid whose matrix is made
    double tolerance = 1e-10;  ///< of the residual, in relation to the right side
    std::int64_t solves = 1;   ///< the last one, unless `until` comes first
    std::string until;         ///< a file; no further solve begins when it is there
    std::string history;       ///< where rank 0 writes the residuals; empty: nowhere
    std::string write;         ///< where the matrix is written to, and nothing is solved
};

/// Reads the command line. Ends the process with a message when it asks for help or is wrong.
Options parse_options(int argc, char** argv);

}  // namespace cg
