#include "cluster/host.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "cluster/names.hpp"
#include "cluster/namespaces.hpp"
#include "cluster/process_title.hpp"
#include "cluster/processes.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void run_host_init(int number, int go, int report) {
    forget_inherited({go, report});
    ::setsid();
    try {
        furnish(host_name(number));
        set_process_title(fmt::format("ductile cluster: {} {}", host_name(number), init_name));
        char plugged = 0;
        if (::read(go, &plugged, 1) != 1) ::_exit(1);  // the cluster's init gave up on this host
        configure_host(number);
    } catch (const std::exception& error) {
        const std::string_view why = error.what();
        ::_exit(::write(report, why.data(), why.size()) < 0 ? 2 : 1);
    }
    ::close(go);
    ::close(report);
    reap_for_ever();
}

}  // namespace

void reap_for_ever() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    while (true) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
        int signal = 0;
        ::sigwait(&child, &signal);
    }
}

BootingHost begin_boot(int number) {
    Pipe go = os::make_pipe("the cluster");
    Pipe report = os::make_pipe("the cluster");
    const pid_t init = fork_in_new_namespaces(host_namespaces());
    if (init < 0) throw_errno("make the namespaces of " + host_name(number));
    if (init == 0) run_host_init(number, go.read.get(), report.write.get());
    BootingHost booting;
    booting.host.number = number;
    booting.host.init = init;
    booting.host.process = open_process(init);
    booting.host.pid_namespace = namespace_id(init, "pid");
    booting.go = std::move(go.write);
    booting.report = std::move(report.read);
    return booting;
}

Host finish_boot(BootingHost booting) {
    std::string why;
    if (::write(booting.go.get(), "g", 1) != 1) why = "its init is gone";
    const Deadline deadline{10s};
    while (why.empty()) {
        if (!wait_readable(booting.report.get(), deadline.left_ms()))
            why = "its init does not answer";
        std::array<char, 512> text;
        const ssize_t got =
            why.empty() ? ::read(booting.report.get(), text.data(), text.size()) : 0;
        if (got > 0) why.assign(text.data(), static_cast<std::size_t>(got));
        if (got == 0) break;
    }
    if (why.empty()) {
        const InNetworkOf network(booting.host.process);
        booting.host.interface = std::make_unique<Interface>(booting.host.number);
        return std::move(booting.host);
    }
    ::kill(booting.host.init, SIGKILL);
    throw SystemError(fmt::format("cannot boot {} ({})", host_name(booting.host.number), why));
}

pid_t fork_on_host(const Host& host, int own_pid_namespace) {
    const bool elsewhere = host.number != head;
    if (elsewhere) check(::setns(host.process.get(), CLONE_NEWPID), "enter the host");
    const pid_t child = ::fork();
    if (child == 0) {
        if (elsewhere && ::setns(host.process.get(), host_namespaces() & ~CLONE_NEWPID) != 0)
            ::_exit(255);
        return 0;
    }
    const int error = errno;
    if (elsewhere)
        check(::setns(own_pid_namespace, CLONE_NEWPID), "return to the head's processes");
    errno = error;
    return check(child, "start a process on the host");
}

}  // namespace ductile::cluster
