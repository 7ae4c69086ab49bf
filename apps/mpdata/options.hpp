// What the user of `mpdata` may choose on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace mpdata {

struct Options {
    std::string input;          ///< the input file
    std::int64_t steps = -1;    ///< in place of the input file's, if not negative
    int threads = 1;            ///< of each rank
    std::string until;          ///< a file; the program ends soon after it has appeared
    std::string restart;        ///< the field of this file is the one to begin with
    std::string field;          ///< where rank 0 writes the final field; empty: nowhere
    std::string picture;        ///< where rank 0 draws the field now and then; empty: nowhere
    bool checksum = false;      ///< print a checksum of the final field
    double report_every_s = 1;  ///< seconds between lines of progress; 0: none
};

/// Reads the command line. Ends the process with a message when it asks for help or is wrong.
Options parse_options(int argc, char** argv);

}  // namespace mpdata
