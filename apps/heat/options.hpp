// The command line of `heat`.
#pragma once

#include <cstdint>
#include <string>

namespace heat {

struct Options {
    std::int64_t rows = 1536;
    std::int64_t cols = 1536;
    std::int64_t steps = 1000;  ///< number of steps, unless `until` ends them earlier
    std::uint64_t seed = 1;     ///< chooses the hot discs of the initial field
    std::string until;          ///< a file; the program ends soon after it exists; empty: none
    std::string field;          ///< the file for the final field; empty: no file
    bool checksum = false;      ///< print a checksum of the final field
    double report_every_s = 1;  ///< seconds between lines of progress; 0: none
};

/// Reads the command line. With --help or a wrong argument, prints a message and ends the process.
Options parse_options(int argc, char** argv);

}  // namespace heat
