// The sizes that the limits of a job allow. Pure.
#pragma once

#include <optional>

#include "policy/views.hpp"

namespace ductile::policy {

/// The largest size that the limits allow and that is not above `at_most`; nullopt if there is no
/// such size.
[[nodiscard]] std::optional<int> largest_size(const JobView& job, std::int64_t at_most);

/// The largest size to which the job can grow with its free slots and `hosts` more hosts; nullopt
/// if it cannot grow.
[[nodiscard]] std::optional<int> grown_with(const JobView& job, int hosts);

/// The size after the smallest step of growth: the slots of one host more, of the job's free slots
/// first, and as few hosts more as the limits require. If there are fewer slots, or if the limits
/// allow fewer, the step is smaller. nullopt if the job cannot grow.
[[nodiscard]] std::optional<int> grown_by_a_host(const JobView& job, int idle_hosts);

/// A job after it has given up hosts from the end of its list of hosts.
struct OnFewerHosts {
    int hosts = 0;  ///< number of hosts that it keeps
    int ranks = 0;  ///< number of ranks on these hosts
    bool operator==(const OnFewerHosts&) const = default;
};
/// Gives up hosts from the end of the job's list, one by one and at least one, until other jobs can
/// use at least `hosts` of the hosts that are given up, and the limits allow the ranks that remain.
/// Returns the job as it is then; nullopt if this is not possible.
[[nodiscard]] std::optional<OnFewerHosts> without_hosts(const JobView& job, int hosts);

}  // namespace ductile::policy
