// The list of hosts that a user gives. Pure: text in, allocation out.
#pragma once

#include <string>
#include <string_view>

#include "core/allocation.hpp"

namespace ductile::rms {

inline constexpr std::size_t max_hosts = 4096;
inline constexpr int max_slots = 1 << 20;  ///< of a host
inline constexpr std::size_t max_name_bytes = 253;

/// A host name or a numeric address: what no shell and no option parser takes for something else.
bool is_host_name(std::string_view name);

/// One host a line: "name" or "name slots=N" (1 slot if not said); '#' begins a comment; empty
/// lines are skipped. Throws InputError that begins "FILE:LINE: " for anything else, a host named
/// twice, more than 4096 hosts or 1,048,576 slots on one, and for a list without hosts.
core::Allocation parse_hosts(std::string_view text, const std::string& file);

/// The same from a file of at most 1 MiB.
core::Allocation read_hosts_file(const std::string& path);

}  // namespace ductile::rms
