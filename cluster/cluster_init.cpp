#include "cluster/cluster_init.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "cluster/cluster.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/process_title.hpp"
#include "cluster/processes.hpp"
#include "cluster/server.hpp"
#include "cluster/slurm_mounts.hpp"
#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

void report(int ready, const std::string& text) {
    if (::write(ready, text.data(), text.size()) < 0)
        ::_exit(1);  // the process that started this cluster is gone
    ::close(ready);
}

void leave_terminal() {
    ::setsid();
    const Descriptor nothing{check(::open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null")};
    for (int standard = 0; standard < 3; ++standard) ::dup2(nothing.get(), standard);
    check(::chdir("/"), "go to /");
    ::umask(022);
}

void block_child_signal() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
}

}  // namespace

void run_cluster_init(const InitOptions& options) {
    try {
        forget_inherited({options.lock, options.mapped, options.ready, options.owner});
        char mapped = 0;
        if (::read(options.mapped, &mapped, 1) != 1) ::_exit(1);
        ::close(options.mapped);
        if (options.tie == Tie::parent) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (wait_readable(options.owner, 0)) ::_exit(1);  // the parent died before that call
        }
        leave_terminal();
        block_child_signal();
        keep_mounts_private();
        furnish(host_name(head));
        if (options.spec.slurm) mount_slurm(*options.spec.slurm, options.state_dir);
        cover_etc_hosts(etc_hosts_path(options.state_dir));
        set_process_title(fmt::format("ductile cluster: {} {}", options.spec.name, init_name));

        Cluster cluster(options.spec, options.state_dir);
        Server server(cluster, listen_in(options.state_dir), Descriptor{options.owner});
        report(options.ready, "ok");
        server.run();
        cluster.end();
        remove_state_dir(options.state_dir);
    } catch (const std::exception& error) {
        report(options.ready, error.what());
        ::_exit(1);
    }
    ::_exit(0);  // then the kernel kills all processes that are left in the cluster
}

}  // namespace ductile::cluster
