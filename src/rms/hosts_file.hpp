// The list of hosts that a user gives. Pure, except read_hosts_file().
#pragma once

#include <string>
#include <string_view>

#include "core/allocation.hpp"
#include "core/host_share.hpp"

namespace ductile::rms {

inline constexpr std::size_t max_hosts = 4096;
inline constexpr int max_slots = core::most_slots;  ///< on one host
inline constexpr std::size_t max_name_bytes = 253;

/// Whether this is a host name or a numeric address: 1 to 253 letters, digits, '.', '-', '_' and
/// ':', and no '-' at the beginning. Such a name is safe in a command line.
bool is_host_name(std::string_view name);

/// One host a line: its name, and perhaps its slots. docs/commands/run.md has the table of forms. A
/// line without a number stands for one slot. A host that is named again gets the slots of all its
/// lines. In names, capitals and small letters do not differ. Hosts are in the order in which they
/// are first named. Throws InputError that begins "FILE:LINE: " for anything else, for more than
/// 4096 hosts, for more than 1,048,576 slots on one host, and for a list without hosts.
core::Allocation parse_hosts(std::string_view text, const std::string& file);

/// As parse_hosts(), from a file of at most 1 MiB. `-` is the standard input. Throws InputError if
/// it cannot be read.
core::Allocation read_hosts_file(const std::string& path);

}  // namespace ductile::rms
