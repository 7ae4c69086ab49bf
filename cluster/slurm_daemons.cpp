#include "cluster/slurm_daemons.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "cluster/namespaces.hpp"
#include "cluster/slurm_config.hpp"
#include "cluster/slurm_files.hpp"
#include "cluster/slurm_mounts.hpp"
#include "cluster/slurm_probe.hpp"
#include "cluster/unprivileged_setgroups.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 30s;

/// Called in the child: executes the daemon in this process, after `prepare`. Returns only if this
/// fails, with the exit code. The reason is then in the daemon's output.
int run_daemon(const std::vector<std::string>& argv, const std::string& output,
               const std::vector<std::string>& environment, void (*prepare)()) {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0 || ::dup2(file, STDERR_FILENO) < 0) return 126;
    std::string why;
    try {
        forget_inherited({});
        ::setsid();
        if (prepare != nullptr) prepare();
        ignore_forbidden_setgroups();
        std::vector<char*> words, variables;
        for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
        for (const auto& variable : environment)
            variables.push_back(const_cast<char*>(variable.c_str()));
        words.push_back(nullptr);
        variables.push_back(nullptr);
        ::execve(words[0], words.data(), variables.data());
        why = fmt::format("cannot run {} ({})\n", argv[0], std::strerror(errno));
    } catch (const std::exception& error) {
        why = fmt::format("{}\n", error.what());
    }
    return ::write(STDERR_FILENO, why.data(), why.size()) < 0 ? 126 : 127;
}

std::string exit_reason(int status) {
    return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                               : fmt::format("exit code {}", WEXITSTATUS(status));
}

bool is_ready(const SlurmDaemon& daemon) {
    if (!daemon.ready_socket.empty()) return accepts(daemon.ready_socket);
    return daemon.ready_port == 0 || accepts(host_address(head), daemon.ready_port);
}

std::string last_words(const std::string& daemon, int host) {
    const std::string text = last_lines(read_file(slurm_output(daemon, host)));
    return text.empty() ? std::string("its output is empty") : "its last output:\n" + text;
}

}  // namespace

SlurmDaemons::SlurmDaemons(const ClusterSpec& spec, RunOn run_on, ChildEnded child_ended)
    : site_(site_of(spec)), run_on_(std::move(run_on)), child_ended_(std::move(child_ended)) {}

void SlurmDaemons::start_daemon(const SlurmDaemon& daemon, int host, void (*prepare)()) {
    const std::string output = slurm_output(daemon.name, host);
    auto argv = daemon.argv;
    argv[0] = "/usr/sbin/" + argv[0];
    const auto environment = slurm_environment(site_);
    const pid_t pid = run_on_(host, [&] { return run_daemon(argv, output, environment, prepare); });
    daemons_.push_back({daemon.name, host, pid});
}

void SlurmDaemons::start_slurmd(int host) {
    std::erase_if(daemons_, [host](const Daemon& daemon) { return daemon.host == host; });
    start_daemon(slurmd(host_name(host)), host, hide_cgroups);
}

void SlurmDaemons::start() {
    const Deadline deadline{start_limit};
    const int hosts = static_cast<int>(site_.nodes.size());
    write_slurm_files(site_);
    const auto stages = controller_stages(site_);
    for (const auto& stage : stages) {
        for (const auto& daemon : stage) start_daemon(daemon, head);
        if (&stage == &stages.back())
            for (int host = 1; host <= hosts; ++host) start_slurmd(host);
        for (const auto& daemon : stage)
            wait_until(daemon.name, deadline, [&daemon] { return is_ready(daemon); });
    }
    const auto environment = slurm_environment(site_);
    wait_until("slurmctld", deadline, [&] { return are_hosts_idle(hosts, environment); });
}

/// Throws SystemError if a daemon is among the ended children.
void SlurmDaemons::collect_children() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        for (const auto& daemon : daemons_)
            if (daemon.pid == pid)
                throw SystemError(fmt::format("cannot start Slurm ({} on {} has ended, {}); {}",
                                              daemon.name, host_name(daemon.host),
                                              exit_reason(status),
                                              last_words(daemon.name, daemon.host)));
        child_ended_(pid);
    }
}

void SlurmDaemons::wait_until(const std::string& what, const Deadline& deadline,
                              const std::function<bool()>& is_ready) {
    while (true) {
        collect_children();
        if (is_ready()) return;
        if (deadline.has_passed())
            throw TimeoutError(
                fmt::format("cannot start Slurm ({} on {} is not ready after {} s); {}", what,
                            host_name(head), start_limit.count(), last_words(what, head)));
        std::this_thread::sleep_for(20ms);
    }
}

}  // namespace ductile::cluster
