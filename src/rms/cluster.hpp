// The whole cluster, beyond the hosts of one job: what policies see of it, and what they change.
#pragma once

#include "rms/cluster_view.hpp"
#include "rms/job_priorities.hpp"

namespace ductile::rms {

class Cluster {
  public:
    virtual ~Cluster() = default;
    /// Asks which hosts are idle and which jobs wait. `on_seen` is called once: by this call, or
    /// later by the event loop, but not after this object is destroyed. A resource manager that
    /// knows nothing of the cluster reports no idle host and no waiting job. A resource manager
    /// that only fails to find out at the moment reports CannotSee.
    virtual void view_cluster(const OnSeenCluster& on_seen) { on_seen(ClusterSeen{}); }
    /// The part of ClusterSeen that is about the hosts of this job, without the cluster.
    [[nodiscard]] virtual ClusterSeen own_hosts() { return {}; }
    /// Null if the priorities of waiting jobs cannot be changed.
    virtual JobPriorities* priorities() { return nullptr; }
};

}  // namespace ductile::rms
