// Where the demo plays: on virtual hosts, each with a name, an address and processes of its own, or
// on logical hosts of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/demo/demo_options.hpp"

namespace ductile::cli::demo {

enum class Hosts { virtual_, logical };

struct Stage {
    Hosts hosts = Hosts::logical;
    std::string why_logical;  ///< for people; empty when it was asked for
};

/// Whether virtual hosts can be made here: tries it, which takes some 50 ms. Empty when they can,
/// else the reason.
std::string objection_to_virtual_hosts();

/// Becomes `ductile cluster up` with as many virtual hosts as the script needs and, on their head,
/// `ductile demo` with these `arguments`. The cluster ends with this process. Returns only by
/// throwing SystemError.
[[noreturn]] void become_cluster(int hosts, int cores, const std::vector<std::string>& arguments);

/// The words between `ductile run` and `--` that say where the ranks go. Throws SystemError when
/// the cluster around this process does not tell.
std::vector<std::string> placement(const Stage& stage, int hosts, int ranks_per_host);

}  // namespace ductile::cli::demo
