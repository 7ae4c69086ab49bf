// What the user of `heat` may choose.
#pragma once

#include <cstdint>
#include <string>

namespace heat {

struct Options {
    std::int64_t rows = 1536;
    std::int64_t cols = 1536;
    std::int64_t steps = 1000;  ///< the last step, unless `until` comes first
    std::uint64_t seed = 1;     ///< chooses the hot discs of the initial field
    std::string until;          ///< a file; the program ends soon after it has appeared
    std::string field;          ///< where rank 0 writes the final field; empty: nowhere
    bool checksum = false;      ///< print a checksum of the final field
    double report_every_s = 1;  ///< seconds between lines of progress; 0: none
};

/// Reads the command line. Ends the process with a message when it asks for help or is wrong.
Options parse_options(int argc, char** argv);

}  // namespace heat
