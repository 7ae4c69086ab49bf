// The programs that the demo can show.
#pragma once

#include <string>
#include <vector>

#include "cli/demo/demo_options.hpp"

namespace ductile::cli::demo {

/// A program of this build, and how its runs are asked for.
struct Subject {
    std::string what;                ///< "a 2-D heat equation on 1536 x 1536 points"
    std::vector<std::string> words;  ///< the program, and what is the same in all its runs
    std::string result_option;       ///< names the file with the run's result: "--field"
    bool draws_meanwhile = false;    ///< that file is a picture, and drawn anew while it runs
    bool prints_checksum = false;    ///< of the final field
};

/// The one that the options name. `input`: where an input file may be written. Throws SystemError
/// when the program was not built.
Subject make_subject(const DemoOptions& options, const Script& script, const std::string& input);

/// What such a program has printed as the checksum of its field. Throws SystemError when it has
/// not.
std::string printed_checksum(const std::string& output);

}  // namespace ductile::cli::demo
