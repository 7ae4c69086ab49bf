// The hosts of a running cluster and the actions on them. This code runs in the cluster's init (its
// first process), which is the parent of all hosts' inits.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/host.hpp"
#include "cluster/names.hpp"
#include "cluster/network.hpp"
#include "cluster/slurm_daemons.hpp"

namespace ductile::cluster {

class Cluster {
  public:
    /// Makes the network, boots all hosts and starts Slurm if the spec has one. The caller is the
    /// init of the outer namespaces.
    Cluster(ClusterSpec spec, std::string state_dir);

    /// The host with this name; "head": the head. Throws InputError for another name.
    Host& find(std::string_view name);
    /// The number of the host whose PID namespace contains the process. `head`: the head. -1: the
    /// process is outside the cluster.
    int host_of(pid_t pid) const;

    /// Whether a packet gets from one host to the other. -1 means outside the cluster. A process
    /// outside reaches the same hosts as the head.
    bool are_connected(int from, int to) const;

    // If the host is not in the needed state, each of these functions throws UsageError and changes
    // nothing.
    void kill(Host& host);   ///< ends all processes of the host; returns when all have ended
    void start(Host& host);  ///< boots a killed host again
    void freeze(Host& host, std::string_view method);  ///< "auto", "cgroup" or "signals"
    void thaw(Host& host);
    void cut(Host& host);
    void mend(Host& host);

    /// Starts a new process on the host. The process calls `run` and ends with its result. Returns
    /// the pid of the process.
    template <class Run>
    pid_t run_on(const Host& host, Run run) {
        const pid_t pid = fork_on_host(host, own_pid_namespace_.get());
        if (pid == 0) ::_exit(run());
        return pid;
    }

    /// Ends all hosts. Afterwards only the processes of the head remain.
    void end();

    /// The caller reports each child that it has waited for. If the child was the init of a host,
    /// this function marks the host as killed.
    void child_ended(pid_t pid);

    // Answers as JSON text.
    std::string status() const;
    std::string processes(const Host& host, const std::string& variable) const;

  private:
    void expect_host_up(const Host& host, std::string_view what) const;
    void wait_until_down(Host& host);
    void boot(const std::vector<int>& numbers);
    void start_slurm();
    /// Called after these hosts were booted, killed, cut off or mended. Two hosts that reach each
    /// other have permanent entries for each other in their tables of neighbours (ARP). Hosts that
    /// do not reach each other have no such entries, so a connection to a host that is gone fails
    /// as on a real network (no route to host, after 3 s).
    void update_neighbours(const std::vector<int>& numbers);

    ClusterSpec spec_;
    std::string state_dir_;
    Descriptor own_pid_namespace_;
    ino_t own_pid_namespace_id_;
    Netlink network_;
    std::vector<Host> hosts_;              ///< by number; the head is first
    std::unique_ptr<SlurmDaemons> slurm_;  ///< null: the cluster has no Slurm
};

}  // namespace ductile::cluster
