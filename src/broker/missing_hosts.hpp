// How many more hosts it takes for a size that the job's hosts have no room for. Pure.
#pragma once

#include <optional>

#include "broker/host_states.hpp"
#include "broker/resize_planner.hpp"

namespace ductile::broker {

/// What is asked of the resource manager.
struct HostWish {
    int hosts = 1;
    int slots = 1;                  ///< that each of them is thought to have
    std::optional<PartOfUse> part;  ///< as in HostNeed
    bool operator==(const HostWish&) const = default;
};

/// Which size of a range is meant. Of one size both are the same.
enum class Aim { largest, smallest };

/// For a job that is to begin with so many ranks, on hosts of which each has `slots`. Nothing when
/// the limits allow no such size, or its hosts cannot be counted.
std::optional<HostWish> hosts_to_start(const core::SizeRange& ranks, const Limits& limits,
                                       int slots, Aim aim);

/// For a resize. Nothing when more hosts would not help. A part is of use if it leads to a size of
/// the range; where one size is asked for and only multiples are allowed, to a smaller multiple.
std::optional<HostWish> hosts_to_grow(const ResizeRequest& request, const JobView& job, int slots,
                                      Aim aim);

}  // namespace ductile::broker
