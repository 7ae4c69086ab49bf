// What a resource manager reports about its whole cluster, for policies.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "policy/views.hpp"

namespace ductile::rms {

struct ClusterSeen {
    policy::ClusterView cluster = {};
    /// Hosts that others can use only after the end of the Slurm job in which the job runs, even if
    /// the job gives them back.
    std::vector<std::string> kept = {};
    /// The slots of hosts that are reserved for the job and that the job does not use now. A
    /// request gets these hosts immediately.
    int kept_slots = 0;
    bool operator==(const ClusterSeen&) const = default;
};
/// The resource manager cannot see the cluster at the moment.
struct CannotSee {
    std::string why;
    bool operator==(const CannotSee&) const = default;
};

using SeenCluster = std::variant<ClusterSeen, CannotSee>;
using OnSeenCluster = std::function<void(const SeenCluster&)>;

}  // namespace ductile::rms
