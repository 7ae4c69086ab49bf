// The command line of `mpdata`.
#pragma once

#include <cstdint>
#include <string>

namespace mpdata {

struct Options {
    std::string input;          ///< the input file
    std::int64_t steps = -1;    ///< the last step; negative: `steps` of the input file
    int threads = 1;            ///< threads of each rank
    std::string until;          ///< a file; the program ends soon after it exists; empty: none
    std::string restart;        ///< the file with the field to begin with; empty: none
    std::string field;          ///< the file for the final field; empty: no file
    std::string picture;        ///< the file for pictures of the field; empty: no file
    bool checksum = false;      ///< print a checksum of the final field
    double report_every_s = 1;  ///< seconds between lines of progress; 0: none
};

/// Reads the command line. With --help or a wrong argument, prints a message and ends the process.
Options parse_options(int argc, char** argv);

}  // namespace mpdata
