// Names that Ductile makes up for the hosts of a group. Where agents start the ranks, the first
// name in the info key `hosts` of an MPI_Comm_spawn tells the broker which group it starts. Under
// Open MPI, mpirun asks for a daemon on such a host, and the name tells the group and the host. So
// a host has a different name for each group.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/named_groups.hpp"

namespace ductile::wire {

/// The ranks of a group on one of its hosts.
struct ProxyPart {
    core::GroupId group;
    int part = 0;  ///< the position of the host among the hosts of the group
    bool operator==(const ProxyPart&) const = default;
};

/// Only groups and parts with numbers below these have a name.
using core::named_groups;
inline constexpr int named_parts = 1 << 12;

/// An address of 240.0.0.0/4, which no host has (RFC 1112, section 4). So it is
/// never the name of a host that the program gives. {g1, 2} gives "240.0.16.2". Throws
/// UsageError beyond the limits above.
std::string proxy_name(const ProxyPart& part);
/// A name for an mpiexec that cuts names off at their first dot: {g1, 2} gives "ductile-g1p2".
std::string proxy_word(const ProxyPart& part);
/// The part that has this name, in one of the two forms. Nothing if `name` has neither form.
std::optional<ProxyPart> proxy_part(std::string_view name);

}  // namespace ductile::wire
