// The command line that all benchmarks share.
#pragma once

#include <string>
#include <vector>

namespace ductile::bench {

enum class Hosts {
    any,      ///< virtual hosts where this user may make them, else logical ones
    cluster,  ///< virtual hosts (`ductile cluster`)
    local,    ///< logical hosts of this machine
};

struct Options {
    std::string json;  ///< file to write; empty: none
    int repeat = 9;    ///< samples of each
    Hosts hosts = Hosts::any;
    bool inside = false;  ///< this process runs on the virtual cluster already
};

/// An option of one benchmark alone.
struct OwnOption {
    std::string flag, help;
    std::string* value = nullptr;
};

/// Ends the process with a message when the words are wrong, or on --help.
Options read_options(int argc, char** argv, const std::string& question,
                     const std::vector<OwnOption>& own = {});

}  // namespace ductile::bench
