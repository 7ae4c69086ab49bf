// The first process of a cluster: the init of its outer PID namespace, the parent of its hosts'
// inits, and the server for its commands.
#pragma once

#include "cluster/names.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// The process whose end also ends the cluster.
enum class Tie {
    parent,  ///< the parent: when it dies, the kernel kills the cluster's init
    none,    ///< no parent: the cluster lives until `down`, or until its owner ends (see Server)
};

struct InitOptions {
    ClusterSpec spec;
    std::string state_dir;
    Tie tie = Tie::none;
    int lock = -1;    ///< lock of the state directory; kept open for life
    int mapped = -1;  ///< readable when the parent has mapped this user to root, or need not
    int ready = -1;   ///< gets "ok" or the reason of a failure
    int owner = -1;   ///< see Server
};

/// Called in the child of fork_in_new_namespaces. Never returns. When this process ends, everything
/// in the cluster ends.
[[noreturn]] void run_cluster_init(const InitOptions& options);

}  // namespace ductile::cluster
