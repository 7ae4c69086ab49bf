// The names that mpiexec is given for the hosts of groups that a rank starts (MPI_Comm_spawn's info
// key `hosts`). Ours, not those of the hosts: when mpiexec asks for its proxy on such a host, the
// name says for which group that is, and two groups on one host are two.
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
    int part = 0;  ///< the place of the host among those of the group
    bool operator==(const ProxyPart&) const = default;
};

/// Groups and parts that have a name.
using core::named_groups;
inline constexpr int named_parts = 1 << 12;

/// An address of 240.0.0.0/4, which nobody has (RFC 1112, section 4), so that mpiexec takes no host
/// for its own and asks no name server. {g1, 2} gives "240.0.16.2". Throws UsageError beyond the
/// limits above.
std::string proxy_name(const ProxyPart& part);
/// The same for an mpiexec that cuts names off at their first dot: {g1, 2} gives "ductile-g1p2".
std::string proxy_word(const ProxyPart& part);
/// The part of which one of these is the name; nothing when it is another host's.
std::optional<ProxyPart> proxy_part(std::string_view name);

}  // namespace ductile::wire
