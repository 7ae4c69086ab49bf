// Slurm's short form of a list of hosts: "node[01-03,7],login1". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ductile::rms {

/// node[01-03,7] gives node01, node02, node03 and node7. Throws InputError for a text that is not
/// such a list, for more than 4096 hosts, and for a name that is not a host name. The error
/// contains this name.
std::vector<std::string> expand_hostlist(std::string_view text);

/// Counts the numbers in a text: for "0-3,8" it returns 5. Throws InputError for other texts, and
/// for more than 2^20 numbers.
int count_numbers(std::string_view text);

}  // namespace ductile::rms
