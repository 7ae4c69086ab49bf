// The hosts of a running cluster and what can be done to them. Lives in the cluster's init, which
// is the parent of all hosts' inits.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "cluster/host.hpp"
#include "cluster/names.hpp"
#include "cluster/network.hpp"

namespace ductile::cluster {

class Cluster {
  public:
    /// Makes the network and boots all hosts. In the outer namespaces, as their init.
    Cluster(ClusterSpec spec, std::string state_dir);

    /// The host of this name, or the head. Throws InputError.
    Host& find(std::string_view name);
    /// The number of the host in whose PID namespace the process is, `head` for the head, -1 for
    /// one outside of the cluster.
    int host_of(pid_t pid) const;

    /// Whether a packet gets from one to the other; -1 is outside and reaches what the head
    /// reaches.
    bool are_connected(int from, int to) const;

    // Each throws UsageError, and changes nothing, when the host is not in the state it needs.
    void kill(Host& host);   ///< ends all its processes; returns when none is left
    void start(Host& host);  ///< boots a killed one afresh
    void freeze(Host& host, std::string_view method);  ///< "auto", "cgroup" or "signals"
    void thaw(Host& host);
    void cut(Host& host);
    void mend(Host& host);

    /// Runs in a new process on the host, which calls `run` and ends with its result.
    template <class Run>
    void run_on(const Host& host, Run run) {
        if (fork_on_host(host, own_pid_namespace_.get()) == 0) ::_exit(run());
    }

    /// Ends every host. Nothing but the head's own processes is left then.
    void end();

    /// To be told of each child that was waited for: a host whose init has ended is down.
    void child_ended(pid_t pid);

    // Answers as JSON text.
    std::string status() const;
    std::string processes(const Host& host, const std::string& variable) const;

  private:
    void expect_host_up(const Host& host, std::string_view what) const;
    void wait_until_down(Host& host);
    void boot(const std::vector<int>& numbers);
    /// After these hosts were booted, killed, cut off or mended: any two hosts that reach each
    /// other have permanent entries for each other. Others have none, so that a connection to a
    /// host that is gone fails as on a real network (no route to host, after 3 s).
    void update_neighbours(const std::vector<int>& numbers);

    ClusterSpec spec_;
    std::string state_dir_;
    Descriptor own_pid_namespace_;
    ino_t own_pid_namespace_id_;
    Netlink network_;
    std::vector<Host> hosts_;  ///< by number; the head is the first
};

}  // namespace ductile::cluster
