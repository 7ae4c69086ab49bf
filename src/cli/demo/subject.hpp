// The programs that the demo can show.
#pragma once

#include <string>
#include <vector>

#include "cli/demo/demo_options.hpp"

namespace ductile::cli::demo {

/// A program of this build, and the command line of its runs.
struct Subject {
    std::string what;                ///< "a 2-D heat equation on 1536 x 1536 points"
    std::vector<std::string> words;  ///< the program, and its arguments in all runs
    std::string result_option;       ///< names the file with the run's result: "--field"
    bool draws_meanwhile = false;    ///< that file is a picture that the run updates
    bool prints_checksum = false;    ///< the program prints a checksum of the final field
};

/// The program that the options name. `input`: where an input file may be written. Throws
/// SystemError when the program was not built.
Subject make_subject(const DemoOptions& options, const Script& script, const std::string& input);

/// The checksum that a program with `prints_checksum` has printed, from its output. Throws
/// SystemError when there is none.
std::string printed_checksum(const std::string& output);

}  // namespace ductile::cli::demo
