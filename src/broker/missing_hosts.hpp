// How many more hosts a job needs for a size, if its own hosts have no room for it. Pure.
#pragma once

#include <optional>

#include "broker/host_states.hpp"
#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// The hosts to request from the resource manager.
struct HostWish {
    int hosts = 1;
    int slots = 1;                  ///< the assumed number of slots of each host
    std::optional<PartOfUse> part;  ///< see HostNeed
    bool operator==(const HostWish&) const = default;
};

/// Which size of a range to reach. Both name the same size if the range has only one.
enum class Aim { largest, smallest };

/// The hosts with `slots` slots each that a job needs to begin with a size of `ranks`. Its own
/// hosts have room for `room` ranks. None if the limits allow no such size, if there is room for
/// it already, or if it needs too many hosts.
std::optional<HostWish> hosts_to_start(const core::SizeRange& ranks, const Limits& limits,
                                       int slots, Aim aim, int room = 0);

/// The hosts that a resize needs. None if more hosts do not help. With Aim::largest, a part of the
/// hosts is of use if it leads to a size of the range. If the request names one size and only
/// multiples are allowed, a part is of use if it leads to a smaller multiple. With Aim::smallest,
/// no part is of use.
std::optional<HostWish> hosts_to_grow(const ResizeRequest& request, const JobView& job, int slots,
                                      Aim aim);

}  // namespace ductile::broker
