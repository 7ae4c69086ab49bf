#include "os/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "ductile/error.hpp"
#include "os/signals_blocked.hpp"

namespace ductile::os {

namespace {

using Step = SpawnResult::Step;

struct Limit {
    int resource = 0;
    rlimit value{};
};

/// Removes the first number from `text` and returns it. Returns nullopt if `text` does not begin
/// with a number. (A std::istringstream would double the size of the shim.)
std::optional<long long> take_number(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    long long number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return number;
}

std::vector<Limit> parse_limits(const std::vector<std::string>& texts) {
    std::vector<Limit> limits;
    for (const auto& text : texts) {
        std::string_view rest = text;
        const auto resource = take_number(rest), soft = take_number(rest), hard = take_number(rest);
        if (!resource || !soft || !hard || *resource < 0 || *resource >= RLIMIT_NLIMITS ||
            *soft < -1 || *hard < -1)
            throw InputError("resource limit refused: '" + text + "' is not RESOURCE SOFT HARD");
        const auto value = [](long long n) {
            return n == -1 ? RLIM_INFINITY : static_cast<rlim_t>(n);
        };
        limits.push_back({static_cast<int>(*resource), {value(*soft), value(*hard)}});
    }
    return limits;
}

// Sets as much of the limit as this host allows: a hard limit cannot be raised.
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

// Other code may have opened descriptors without O_CLOEXEC. Asio, for example, opens its sockets
// without it.
void close_on_exec_from(int first) {
#ifdef SYS_close_range
    constexpr unsigned close_range_cloexec = 1U << 2;
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, close_range_cloexec) == 0)
        return;
#endif
    for (int fd = first; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// All data that the child uses. The parent prepares it before vfork().
struct Child {
    const Spawn& what;
    const char* file;
    char* const* argv;
    char* const* environment;
    const std::vector<Limit>& limits;
    pid_t parent;
    Step step = Step::started;  // the step that failed; started: none
    int error = 0;
};

// The child shares its parent's memory (vfork). So it only makes system calls, and changes only
// `child`.
[[noreturn]] void give_up(Child& child, Step step) {
    child.error = errno;
    child.step = step;
    ::_exit(127);
}

// Moves a descriptor above the numbers that the child's own descriptors will have.
int above_standard_streams(int fd) {
    return fd > Spawn::extra_becomes ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, Spawn::extra_becomes + 1);
}

void take_descriptors(Child& child) {
    const auto& what = child.what;
    const int given[] = {above_standard_streams(what.input), above_standard_streams(what.output),
                         above_standard_streams(what.error)};
    const int extra = what.extra < 0 ? -1 : above_standard_streams(what.extra);
    for (int i = 0; i < 3; ++i)
        if (::dup2(given[i], i) < 0) give_up(child, Step::session);
    if (extra >= 0 && ::dup2(extra, Spawn::extra_becomes) < 0) give_up(child, Step::session);
    close_on_exec_from(extra >= 0 ? Spawn::extra_becomes + 1 : Spawn::extra_becomes);
}

[[noreturn, gnu::noinline]] void become(Child& child) {
    const auto& what = child.what;
    if (what.death_signal != 0 && ::prctl(PR_SET_PDEATHSIG, what.death_signal) != 0)
        give_up(child, Step::session);
    if (::getppid() != child.parent) ::_exit(127);  // the parent died before the line above
    if (what.own_session)
        ::setsid();
    else
        ::setpgid(0, 0);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0)
        give_up(child, Step::directory);
    if (what.umask) ::umask(static_cast<mode_t>(*what.umask));
    for (const auto& limit : child.limits) apply(limit);
    take_descriptors(child);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(child.file, child.argv, child.environment);
    give_up(child, Step::program);
}

}  // namespace

SpawnResult try_spawn(const Spawn& what) {
    if (what.argv.empty()) throw InputError("cannot start a program: its argument list is empty");
    const auto limits = parse_limits(what.resource_limits);
    const auto argv = pointers(what.argv), environment = pointers(what.environment);
    const auto& file = what.file.empty() ? what.argv[0] : what.file;
    Child child{what, file.c_str(), argv.data(), environment.data(), limits, ::getpid()};
    pid_t pid = -1;
    {
        const SignalsBlocked blocked;
        pid = ::vfork();
        if (pid == 0) become(child);
    }
    if (pid < 0) return {-1, Step::session, errno};
    // Reads from memory: the compiler does not know that the child has written there.
    const volatile Child& seen = child;
    if (seen.step == Step::started) return {pid, Step::started, 0};
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {-1, seen.step, seen.error};
}

pid_t spawn(const Spawn& what) {
    const auto result = try_spawn(what);
    if (result.pid >= 0) return result.pid;
    const auto subject =
        result.step == Step::directory ? "the directory " + what.directory : what.argv[0];
    throw SystemError("cannot start " + what.argv[0] + " (" + subject + ": " +
                      std::strerror(result.error) + ")");
}

std::vector<std::string> own_environment() {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
    return entries;
}

std::string find_program(const std::string& name, std::string_view path) {
    if (name.find('/') != name.npos) return name;
    while (!path.empty()) {
        const auto folder = path.substr(0, path.find(':'));
        path.remove_prefix(std::min(path.size(), folder.size() + 1));
        std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return name;
}

}  // namespace ductile::os
