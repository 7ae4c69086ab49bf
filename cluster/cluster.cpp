#include "cluster/cluster.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "cluster/namespaces.hpp"
#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {

using namespace std::chrono_literals;

Cluster::Cluster(ClusterSpec spec, std::string state_dir)
    : spec_(std::move(spec)),
      state_dir_(std::move(state_dir)),
      own_pid_namespace_(open_namespace(::getpid(), "pid")),
      own_pid_namespace_id_(namespace_id(::getpid(), "pid")),
      hosts_(static_cast<std::size_t>(spec_.hosts) + 1) {
    check(own_pid_namespace_.get(), "open the cluster's PID namespace");
    make_bridge(network_);
    hosts_[head].init = ::getpid();
    hosts_[head].pid_namespace = own_pid_namespace_id_;
    hosts_[head].interface = std::make_unique<Interface>(head);
    std::vector<int> numbers;
    for (int number = 1; number <= spec_.hosts; ++number) numbers.push_back(number);
    boot(numbers);
    if (spec_.slurm) start_slurm();
}

void Cluster::start_slurm() {
    slurm_ = std::make_unique<SlurmDaemons>(
        spec_,
        [this](int host, const std::function<int()>& run) {
            return run_on(hosts_[static_cast<std::size_t>(host)], run);
        },
        [this](pid_t pid) { child_ended(pid); });
    slurm_->start();
}

void Cluster::boot(const std::vector<int>& numbers) {
    std::vector<BootingHost> booting;
    for (const int number : numbers) booting.push_back(begin_boot(number));
    for (const auto& host : booting) plug_host(network_, host.host.number, host.host.init);
    for (auto& host : booting) {
        Host& place = hosts_[static_cast<std::size_t>(host.host.number)];
        place = finish_boot(std::move(host));
    }
    update_neighbours(numbers);
}

void Cluster::update_neighbours(const std::vector<int>& numbers) {
    const auto has_changed = [&numbers](int number) {
        return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    };
    for (auto& here : hosts_) {
        if (!here.interface) continue;
        const bool all = has_changed(here.number);
        std::vector<int> in_reach, out_of_reach;
        for (const auto& there : hosts_) {
            if (there.number == here.number || !(all || has_changed(there.number))) continue;
            const bool reached = there.is_up() && are_connected(here.number, there.number);
            (reached ? in_reach : out_of_reach).push_back(there.number);
        }
        here.interface->add_neighbours(in_reach);
        here.interface->remove_neighbours(out_of_reach);
    }
}

Host& Cluster::find(std::string_view name) {
    return hosts_[static_cast<std::size_t>(host_number(name, spec_.hosts))];
}

int Cluster::host_of(pid_t pid) const {
    const ino_t id = pid > 0 ? namespace_id(pid, "pid") : 0;
    for (const auto& host : hosts_)
        if (id != 0 && host.is_up() && host.pid_namespace == id) return host.number;
    return -1;
}

bool Cluster::are_connected(int from, int to) const {
    if (from == to) return true;
    const auto is_cut = [this](int number) {
        return number >= 0 && hosts_[static_cast<std::size_t>(number)].is_cut;
    };
    return !is_cut(from) && !is_cut(to);
}

void Cluster::end() {
    for (auto& host : hosts_) host.interface.reset();  // ends the updates of tables of neighbours
    for (const auto& host : hosts_)
        if (host.number != head && host.is_up()) ::kill(host.init, SIGKILL);
    for (auto& host : hosts_)
        if (host.number != head) wait_until_down(host);
}

void Cluster::expect_host_up(const Host& host, std::string_view what) const {
    if (host.number == head)
        throw UsageError(
            fmt::format("cannot {} the head (this works only for node01, node02, ...)", what));
    if (!host.is_up())
        throw UsageError(fmt::format(
            "cannot {0} {1} (it was killed); `ductile cluster start {1}` brings it back", what,
            host_name(host.number)));
}

void Cluster::kill(Host& host) {
    expect_host_up(host, "kill");
    ::kill(host.init, SIGKILL);
    wait_until_down(host);
}

void Cluster::wait_until_down(Host& host) {
    const Deadline deadline{10s};
    while (host.is_up()) {
        const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
        if (ended > 0) child_ended(ended);
        if (deadline.has_passed())
            throw TimeoutError(fmt::format("cannot kill {} (one of its processes does not end)",
                                           host_name(host.number)));
        if (ended <= 0) std::this_thread::sleep_for(200us);
    }
}

void Cluster::child_ended(pid_t pid) {
    for (auto& host : hosts_) {
        if (host.number == head || host.init != pid) continue;
        const int number = host.number;
        host = Host{};  // removes the cgroup of a frozen host
        host.number = number;
        unplug_host(network_, number);
        update_neighbours({number});
    }
}

void Cluster::start(Host& host) {
    if (host.number == head || host.is_up())
        throw UsageError(fmt::format("cannot start {} (it is up)", host_name(host.number)));
    boot({host.number});
    if (slurm_) slurm_->start_slurmd(host.number);
}

void Cluster::freeze(Host& host, std::string_view method) {
    expect_host_up(host, "freeze");
    if (host.frozen) throw UsageError(fmt::format("{} is frozen already", host_name(host.number)));
    if (method != "auto" && method != "cgroup" && method != "signals")
        throw InputError(
            fmt::format("no way to freeze by \"{}\"; there are auto, cgroup and signals",
                        method.substr(0, 40)));
    const auto label =
        fmt::format("{}-{}-{}", spec_.name, host_name(host.number), own_pid_namespace_id_);
    if (method != "signals") try {
            host.frozen = freeze_by_cgroup(host.pid_namespace, label, cgroups_path(state_dir_));
            return;
        } catch (const SystemError&) {
            if (method == "cgroup") throw;
        }
    host.frozen = freeze_by_signals(host.pid_namespace);
}

void Cluster::thaw(Host& host) {
    expect_host_up(host, "thaw");
    if (!host.frozen) throw UsageError(fmt::format("{} is not frozen", host_name(host.number)));
    host.frozen->thaw();
    host.frozen.reset();
}

void Cluster::cut(Host& host) {
    expect_host_up(host, "cut off");
    if (host.is_cut) throw UsageError(fmt::format("{} is cut off already", host_name(host.number)));
    set_cable(network_, host.number, Cable::cut);
    host.is_cut = true;
    update_neighbours({host.number});
}

void Cluster::mend(Host& host) {
    expect_host_up(host, "mend");
    if (!host.is_cut) throw UsageError(fmt::format("{} is not cut off", host_name(host.number)));
    set_cable(network_, host.number, Cable::mended);
    host.is_cut = false;
    update_neighbours({host.number});
}

}  // namespace ductile::cluster
