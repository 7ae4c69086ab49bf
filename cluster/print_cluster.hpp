// A cluster's JSON as tables for people. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ductile::cluster {

/// A line for each host, from the answer to `status`.
std::string status_table(std::string_view json);

/// A line for each process, from the answer to `ps`. A process is shown by its name in brackets if
/// it is a host's init or a session of `exec`, or if it has no command line.
std::string process_table(std::string_view json);

}  // namespace ductile::cluster
