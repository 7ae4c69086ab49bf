// The command line of `paced`.
#pragma once

#include <cstdint>

#include "paced/curve.hpp"

namespace paced {

struct Options {
    std::int64_t iterations = 100;
    Curve curve;
    double scale = 1;  ///< all times are multiplied by it
    double mib = 16;   ///< data of the whole job, in MiB
};

/// Reads the command line. With --help or a wrong argument, prints a message and ends the process.
Options parse_options(int argc, char** argv);

}  // namespace paced
