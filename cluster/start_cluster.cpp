#include "cluster/start_cluster.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "cluster/client.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"
#include "os/peer.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

void write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    if (!(file << text).flush()) throw_errno("write " + path);
}

/// Uses plain namespaces for root. Otherwise makes a user namespace in which this user is root.
pid_t fork_init(bool& in_user_namespace) {
    in_user_namespace = false;
    const pid_t init = fork_in_new_namespaces(host_namespaces());
    if (init >= 0 || errno != EPERM) return init;
    in_user_namespace = true;
    return fork_in_new_namespaces(host_namespaces() | CLONE_NEWUSER);
}

/// Waits for "ok". Any other text is the reason of a failure.
void expect_ok(int ready) {
    std::string text;
    const Deadline deadline{60s};
    while (text != "ok") {
        if (!wait_readable(ready, deadline.left_ms()))
            throw TimeoutError("cannot start a cluster (it is not up after 60 s)");
        std::array<char, 1024> part;
        const ssize_t got = ::read(ready, part.data(), part.size());
        if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
        if (got == 0)
            throw SystemError(text.empty() ? "cannot start a cluster (its init died)" : text);
    }
}

bool answers(const std::string& state_dir) {
    try {
        const Descriptor connection = connect_to(state_dir);
        send_frame(connection.get(), join({"status"}));
        FrameReader reader;
        return next_answer(connection.get(), reader, 1000).has_value();
    } catch (const SystemError&) {
        return false;
    }
}

/// As make_state_dir, but waits at most 10 s for the processes of an earlier cluster of this name.
/// A cluster whose owner was killed answers no request, but on a busy machine its processes take
/// seconds to end. Until then they hold its lock, and perhaps its socket.
StateDir take_state_dir(const std::string& name) {
    const Deadline deadline{10s};
    while (true) {
        try {
            return make_state_dir(name);
        } catch (const UsageError&) {
            if (deadline.has_passed() || answers(find_state_dir(name))) throw;
        }
    }
}

/// Starts the init and waits until all hosts are up. If this fails, ends all that it has started.
pid_t start_init(InitOptions options) {
    validate(options.spec);
    if (options.spec.slurm) validate(*options.spec.slurm);
    StateDir state = take_state_dir(options.spec.name);
    options.state_dir = state.path;
    options.lock = state.lock.get();
    Pipe mapped = os::make_pipe("the cluster");
    Pipe ready = os::make_pipe("the cluster");
    options.mapped = mapped.read.get();
    options.ready = ready.write.get();
    pid_t init = -1;
    try {
        write_text(slots_path(state.path), slots_file(options.spec));
        write_text(etc_hosts_path(state.path), etc_hosts(options.spec, state.path));
        bool in_user_namespace = false;
        init = fork_init(in_user_namespace);
        if (init == 0) run_cluster_init(options);
        if (init < 0)
            throw SystemError(fmt::format(
                "cannot make namespaces ({}); run as root, or allow user namespaces (sysctl "
                "user.max_user_namespaces, kernel.unprivileged_userns_clone, "
                "kernel.apparmor_restrict_unprivileged_userns=0)",
                std::strerror(errno)));
        if (in_user_namespace) map_user_to_root(init);
        check(static_cast<int>(::write(mapped.write.get(), "m", 1)),
              "let the cluster's init continue");
        ready.write = Descriptor{};
        expect_ok(ready.read.get());
        return init;
    } catch (...) {
        if (init > 0) {
            ::kill(init, SIGKILL);
            ::waitpid(init, nullptr, 0);
        }
        remove_state_dir(state.path);
        throw;
    }
}

}  // namespace

TiedCluster::TiedCluster(const ClusterSpec& spec) {
    Pipe life = os::make_pipe("the cluster");
    InitOptions options;
    options.spec = spec;
    options.tie = Tie::parent;
    options.owner = life.read.get();
    init_ = start_init(options);
    process_ = open_process(init_);
    state_dir_ = find_state_dir(spec.name);
    tie_ = std::move(life.write);
}

TiedCluster::~TiedCluster() {
    tie_ = Descriptor{};
    try {
        if (!wait_readable(process_.get(), 20'000)) ::kill(init_, SIGKILL);
        ::waitpid(init_, nullptr, 0);
        remove_dead_clusters();  // if the init was killed
    } catch (const std::exception&) {
        return;  // the cluster ends with this process; the next command removes the rest
    }
}

std::string start_lasting_cluster(const ClusterSpec& spec, pid_t owner) {
    const Descriptor watched = owner > 0 ? open_process(owner) : Descriptor{};
    InitOptions options;
    options.spec = spec;
    options.owner = watched.get();
    start_init(options);
    return find_state_dir(spec.name);
}

void take_down(const std::string& state_dir) {
    const Descriptor connection = connect_to(state_dir);
    const pid_t init = os::peer_of(connection.get()).pid;
    const Descriptor process = init > 0 ? open_process(init) : Descriptor{};
    send_frame(connection.get(), join({"down"}));
    const int end = process ? process.get() : connection.get();
    if (!wait_readable(end, 20'000))
        throw TimeoutError("cannot take the cluster down (its init has not ended after 20 s)");
}

}  // namespace ductile::cluster
