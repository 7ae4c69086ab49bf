// The command line that all benchmarks share.
#pragma once

#include <string>
#include <vector>

namespace ductile::bench {

enum class Hosts {
    any,      ///< virtual hosts if this user can make them, otherwise logical hosts
    cluster,  ///< virtual hosts (`ductile cluster`)
    local,    ///< logical hosts of this machine
};

struct Options {
    std::string json;  ///< file to write; empty: none
    int repeat = 9;    ///< samples of each side
    Hosts hosts = Hosts::any;
    bool inside = false;  ///< this process runs on the virtual cluster already
};

/// An option of one benchmark alone.
struct OwnOption {
    std::string flag, help;
    std::string* value = nullptr;
};

/// With --help or a wrong argument, prints a message and ends the process. `question`: the first
/// line of the help.
Options read_options(int argc, char** argv, const std::string& question,
                     const std::vector<OwnOption>& own = {});

}  // namespace ductile::bench
