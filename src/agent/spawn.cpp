#include "agent/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>

#include "os/signals_blocked.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent {

namespace {

struct Limit {
    int resource = 0;
    rlimit value{};
};

std::vector<Limit> parse_limits(const std::vector<std::string>& texts) {
    std::vector<Limit> limits;
    for (const auto& text : texts) {
        std::istringstream in(text);
        int resource = -1;
        long long soft = 0, hard = 0;
        if (!(in >> resource >> soft >> hard) || resource < 0 || resource >= RLIMIT_NLIMITS ||
            soft < -1 || hard < -1)
            throw InputError("resource limit refused: '" + text + "' is not RESOURCE SOFT HARD");
        const auto value = [](long long n) {
            return n == -1 ? RLIM_INFINITY : static_cast<rlim_t>(n);
        };
        limits.push_back({resource, {value(soft), value(hard)}});
    }
    return limits;
}

// As much of the limit as this host allows: a hard limit cannot be raised.
void apply(const Limit& limit) {
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &limit.value) == 0) return;
    rlimit here{};
    if (::getrlimit(static_cast<__rlimit_resource>(limit.resource), &here) != 0) return;
    here.rlim_cur = std::min(limit.value.rlim_cur, here.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource>(limit.resource), &here);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (const auto& text : strings) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

// Asio's sockets are opened without O_CLOEXEC.
void close_on_exec_from(int first) {
#ifdef SYS_close_range
    constexpr unsigned close_range_cloexec = 1U << 2;
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, close_range_cloexec) == 0)
        return;
#endif
    for (int fd = first; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

enum class Step { tie, directory, program };
struct Failure {
    Step step;
    int error;
};

// Everything it uses was made before the fork: system calls only. It has its parent's memory
// (vfork), and changes none of it.
[[noreturn, gnu::noinline]] void become(const Spawn& what, const std::vector<Limit>& limits,
                                        char* const* argv, char* const* environment, pid_t parent,
                                        int report) {
    if (report == Spawn::extra_becomes)
        report = ::fcntl(report, F_DUPFD_CLOEXEC, Spawn::extra_becomes + 1);
    const auto give_up = [report](Step step) {
        const Failure failure{step, errno};
        [[maybe_unused]] const auto n = ::write(report, &failure, sizeof(failure));
        ::_exit(127);
    };
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) give_up(Step::tie);
    ::setsid();
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0) give_up(Step::directory);
    ::umask(static_cast<mode_t>(what.umask));
    for (const auto& limit : limits) apply(limit);
    if (::dup2(what.input, 0) < 0 || ::dup2(what.output, 1) < 0 || ::dup2(what.error, 2) < 0)
        give_up(Step::tie);
    if (what.extra >= 0) {
        // Not by dup2 alone: of one and the same descriptor it would leave the mark to close it.
        if (what.extra != Spawn::extra_becomes && ::dup2(what.extra, Spawn::extra_becomes) < 0)
            give_up(Step::tie);
        close_on_exec_from(Spawn::extra_becomes + 1);
        ::fcntl(Spawn::extra_becomes, F_SETFD, 0);
    } else {
        close_on_exec_from(3);
    }
    ::execve(argv[0], argv, environment);
    give_up(Step::program);
    ::_exit(127);
}

}  // namespace

pid_t spawn(const Spawn& what) {
    if (what.argv.empty()) throw InputError("cannot start a program: its argument list is empty");
    const auto limits = parse_limits(what.resource_limits);
    const auto argv = pointers(what.argv), environment = pointers(what.environment);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw SystemError("cannot start " + what.argv[0] + ": " + std::strerror(errno));
    wire::Fd read_end(ends[0]), write_end(ends[1]);
    const pid_t parent = ::getpid();
    std::optional<os::SignalsBlocked> blocked(std::in_place);
    const pid_t pid = ::vfork();  // the agent's pages need not be copied, nor faulted in again
    if (pid == 0) become(what, limits, argv.data(), environment.data(), parent, write_end.get());
    blocked.reset();
    if (pid < 0) throw SystemError("cannot start " + what.argv[0] + ": " + std::strerror(errno));
    write_end.reset();
    Failure failure{};
    ssize_t n = 0;
    do n = ::read(read_end.get(), &failure, sizeof(failure));
    while (n < 0 && errno == EINTR);
    if (n != sizeof(failure)) return pid;
    ::waitpid(pid, nullptr, 0);
    const auto subject =
        failure.step == Step::directory ? "the directory " + what.directory : what.argv[0];
    throw SystemError("cannot start " + what.argv[0] + " (" + subject + ": " +
                      std::strerror(failure.error) + ")");
}

}  // namespace ductile::agent
