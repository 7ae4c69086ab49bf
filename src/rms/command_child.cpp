#include "rms/command_child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>

#include "os/signals_blocked.hpp"

namespace ductile::rms {
namespace {

/// What the child reads, and where it says why it could not enter its program: it runs in our
/// memory.
struct ChildView {
    const char* path;
    char* const* arguments;
    char* const* environment;
    const char* directory;  // nullptr: stay
    int descriptors[3];
    pid_t parent;
    int death_signal;
    int error = 0;
};

[[noreturn]] void give_up(ChildView& view) {
    view.error = errno;
    _exit(127);
}

/// Runs in the child on its own stack, with our memory: system calls only, nothing that allocates
/// or locks.
int enter_program(void* argument) {
    ChildView& view = *static_cast<ChildView*>(argument);
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction standard = {};
        standard.sa_handler = SIG_DFL;
        sigaction(number, &standard, nullptr);
    }
    if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, view.death_signal) < 0) give_up(view);
    if (getppid() != view.parent) _exit(127);  // our parent died before the line above
    for (int i = 0; i < 3; ++i)
        if (dup2(view.descriptors[i], i) < 0) give_up(view);
#ifdef SYS_close_range
    // For descriptors that another part of the process opened without O_CLOEXEC. An old kernel says
    // ENOSYS.
    constexpr unsigned close_on_exec = 1U << 2;
    syscall(SYS_close_range, 3U, ~0U, close_on_exec);
#endif
    if (view.directory != nullptr && chdir(view.directory) < 0) give_up(view);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(view.path, view.arguments, view.environment);
    give_up(view);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (const auto& string : strings) result.push_back(const_cast<char*>(string.c_str()));
    result.push_back(nullptr);
    return result;
}

}  // namespace

StartedChild start_child(const ChildStart& start) {
    const auto arguments = pointers(start.arguments);
    const auto environment = pointers(start.environment);
    ChildView view{
        .path = start.path.c_str(),
        .arguments = arguments.data(),
        .environment = environment.data(),
        .directory = start.directory.empty() ? nullptr : start.directory.c_str(),
        .descriptors = {start.standard_input, start.standard_output, start.standard_error},
        .parent = getpid(),
        .death_signal = start.death_signal};

    constexpr std::size_t stack_bytes = 64 * 1024;
    const auto stack = std::make_unique<std::max_align_t[]>(stack_bytes / sizeof(std::max_align_t));
    auto* const stack_top = reinterpret_cast<char*>(stack.get()) + stack_bytes;

    const os::SignalsBlocked blocked;
    // CLONE_VFORK: we sleep until the child has entered its program or ended, so `view` and the
    // stack live on.
    const pid_t pid = clone(enter_program, stack_top, CLONE_VM | CLONE_VFORK | SIGCHLD, &view);
    if (pid < 0) return {.pid = -1, .error = errno};
    if (view.error == 0) return {.pid = pid, .error = 0};
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {.pid = -1, .error = view.error};
}

}  // namespace ductile::rms
