// `up` and `down`: starts and ends a cluster from outside.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/cluster_init.hpp"
#include "cluster/names.hpp"

namespace ductile::cluster {

/// A cluster that ends when this object is destroyed, or when this process ends in any way. The
/// constructor starts the cluster.
class TiedCluster {
  public:
    explicit TiedCluster(const ClusterSpec& spec);
    TiedCluster(const TiedCluster&) = delete;
    TiedCluster& operator=(const TiedCluster&) = delete;
    ~TiedCluster();
    [[nodiscard]] const std::string& state_dir() const { return state_dir_; }

  private:
    std::string state_dir_;
    pid_t init_ = 0;
    Descriptor process_;
    Descriptor tie_;
};

/// Starts a cluster that stays until `down`, or until the process `owner` ends (0: no owner).
/// Returns the state directory of the cluster.
std::string start_lasting_cluster(const ClusterSpec& spec, pid_t owner);

/// Ends the cluster and waits, at most 20 s, until none of its processes is left. Throws
/// TimeoutError if some are left.
void take_down(const std::string& state_dir);

}  // namespace ductile::cluster
