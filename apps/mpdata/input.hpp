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

/// Reads a file as README.md describes it. Throws std::runtime_error with the place of what is
/// missing, of another type, out of range or not known.
Input read_input(const std::string& path);

/// The same from the text of a file that is called `path` in messages.
Input parse_input(const std::string& text, const std::string& path);

}  // namespace mpdata
