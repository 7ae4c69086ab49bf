// The first process of a cluster: init of its outer PID namespace, parent of its hosts' inits,
// server of its commands.
#pragma once

#include "cluster/names.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// Who the cluster ends with.
enum class Tie {
    parent,  ///< killed by the kernel when the process that started it dies
    none,    ///< lives until `down`, or until the owner's descriptor says so
};

struct InitOptions {
    ClusterSpec spec;
    std::string state_dir;
    Tie tie = Tie::none;
    int lock = -1;    ///< of the state directory; held for life
    int mapped = -1;  ///< can be read when this user is root here
    int ready = -1;   ///< takes "ok" or why not
    int owner = -1;   ///< see Server
};

/// In the child of fork_in_new_namespaces. Never returns; when it ends, everything in the cluster
/// ends.
[[noreturn]] void run_cluster_init(const InitOptions& options);

}  // namespace ductile::cluster
