#include "cluster/namespaces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "ductile/error.hpp"

namespace ductile::cluster {

pid_t fork_in_new_namespaces(int namespaces) {
    const auto flags = static_cast<unsigned long>(namespaces) | static_cast<unsigned long>(SIGCHLD);
    return static_cast<pid_t>(::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr));
}

void map_user_to_root(pid_t child) {
    const std::string proc = fmt::format("/proc/{}/", child);
    const bool done = write_file(proc + "setgroups", "deny") &&
                      write_file(proc + "uid_map", fmt::format("0 {} 1", ::geteuid())) &&
                      write_file(proc + "gid_map", fmt::format("0 {} 1", ::getegid()));
    if (!done) throw_errno("map this user to root in a user namespace");
}

int host_namespaces() {
    return CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWPID;
}

void furnish(const std::string& name) {
    check(::sethostname(name.c_str(), name.size()), "set the host name");
    check(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr),
          "mount /proc");
    check(::mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "mount /dev/shm");
}

void keep_mounts_private() {
    check(::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr), "keep mounts private");
}

void cover_etc_hosts(const std::string& file) {
    check(::mount(file.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr),
          "put the cluster's /etc/hosts in place");
}

Descriptor open_namespace(pid_t pid, const std::string& kind) {
    return Descriptor{
        ::open(fmt::format("/proc/{}/ns/{}", pid, kind).c_str(), O_RDONLY | O_CLOEXEC)};
}

ino_t namespace_id(pid_t pid, const std::string& kind) {
    struct stat info {};
    return ::stat(fmt::format("/proc/{}/ns/{}", pid, kind).c_str(), &info) == 0 ? info.st_ino : 0;
}

InNetworkOf::InNetworkOf(const Descriptor& process) : own_(open_namespace(::getpid(), "net")) {
    check(own_.get(), "open the own network namespace");
    check(::setns(process.get(), CLONE_NEWNET), "enter the network of a host");
}

InNetworkOf::~InNetworkOf() {
    // This process must not continue in the network of another host.
    if (::setns(own_.get(), CLONE_NEWNET) != 0) ::_exit(1);
}

Descriptor open_process(pid_t pid) {
    return Descriptor{check(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "open a process")};
}

void forget_inherited(std::initializer_list<int> kept) {
    std::vector<int> order(kept);
    std::sort(order.begin(), order.end());
    unsigned next = 3;
    for (const int descriptor : order) {
        if (descriptor < 3) continue;
        const auto number = static_cast<unsigned>(descriptor);
        if (number > next) ::syscall(SYS_close_range, next, number - 1, 0);
        next = number + 1;
    }
    ::syscall(SYS_close_range, next, ~0U, 0);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace ductile::cluster
