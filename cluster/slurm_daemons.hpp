// The daemons of a cluster's own Slurm: munged, MariaDB, slurmdbd and slurmctld on the head, a
// slurmd on each host. All are children of the cluster's init.
//
// The daemons are not shut down. They are killed with the init, like all processes of the cluster.
// Their data is in memory only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "cluster/slurm_config.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {

class SlurmDaemons {
  public:
    /// Runs a function in a new process on the host with this number. The result of the function is
    /// the exit code. Returns the pid as the init sees it.
    using RunOn = std::function<pid_t(int host, const std::function<int()>& run)>;
    /// Called for each child of the init that start() has reaped.
    using ChildEnded = std::function<void(pid_t pid)>;

    SlurmDaemons(const ClusterSpec& spec, RunOn run_on, ChildEnded child_ended);

    /// Starts all daemons and waits until all hosts are idle. Throws SystemError with the last
    /// output of a daemon that ends. Throws TimeoutError if not all daemons are ready after 30 s.
    void start();
    /// Starts the slurmd of a host that was booted again. Does not wait for it.
    void start_slurmd(int host);

  private:
    struct Daemon {
        std::string name;
        int host = 0;
        pid_t pid = 0;
    };

    void start_daemon(const SlurmDaemon& daemon, int host, void (*prepare)() = nullptr);
    void wait_until(const std::string& what, const Deadline& deadline,
                    const std::function<bool()>& is_ready);
    void collect_children();

    SlurmSite site_;
    RunOn run_on_;
    ChildEnded child_ended_;
    std::vector<Daemon> daemons_;
};

}  // namespace ductile::cluster
