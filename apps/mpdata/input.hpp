// The input file of a run, in TOML.
#pragma once

#include <cstdint>
#include <string>

#include "mpdata/grid.hpp"
#include "mpdata/scheme.hpp"

namespace mpdata {

struct Input {
    Grid grid;
    Scheme scheme;
    std::string problem;
    std::int64_t steps = 0;
};

/// Reads an input file (README.md). Throws std::runtime_error if a value is missing, has a wrong
/// type, is out of range or is not known. The message names the place of the value.
Input read_input(const std::string& path);

/// The same from the text of a file that is called `path` in messages.
Input parse_input(const std::string& text, const std::string& path);

}  // namespace mpdata
