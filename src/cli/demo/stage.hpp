// Where the demo runs: on virtual hosts, each with its own name, address and processes, or on
// logical hosts of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/demo/demo_options.hpp"

namespace ductile::cli::demo {

enum class Hosts { virtual_, logical };

struct Stage {
    Hosts hosts = Hosts::logical;
    std::string why_logical;  ///< for people; empty if the user asked for logical hosts
};

/// Tries to make a virtual host here. This takes about 50 ms. Returns the reason of a failure, or
/// an empty text.
std::string objection_to_virtual_hosts();

/// Replaces this process by `ductile cluster up` with so many virtual hosts of so many cores each.
/// The head of this cluster runs `ductile demo` with these `arguments`. The cluster ends with this
/// process. Returns only by throwing SystemError.
[[noreturn]] void become_cluster(int hosts, int cores, const std::vector<std::string>& arguments);

/// The options of `ductile run` that place the ranks. Throws SystemError when the cluster around
/// this process does not answer.
std::vector<std::string> placement(const Stage& stage, int hosts, int ranks_per_host);

}  // namespace ductile::cli::demo
