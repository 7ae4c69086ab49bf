#include "programs/count_system_calls.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace ductile::bench {

namespace {

std::atomic<long> trapped{0};

void on_trap(int /*signal*/, siginfo_t* /*info*/, void* /*context*/) {
    ++trapped;
}

/// From now on each system call of this thread raises SIGSYS. Exceptions: rt_sigreturn, by which a
/// handler returns, and ppoll, in which the thread sleeps at its end.
bool trap_system_calls() {
    // In pairs: a comparison skips the next instruction unless the call is the named one.
    std::array<sock_filter, 6> filter{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

long count_in_this_thread(const std::function<void()>& code) {
    if (!trap_system_calls()) return -1;
    const long before = trapped;
    // This call is certainly trapped. So it shows whether trapped calls are counted.
    static_cast<void>(::syscall(SYS_getppid));
    if (trapped != before + 1) return -1;
    code();
    return trapped - before - 1;
}

}  // namespace

long count_system_calls(const std::function<void()>& code) {
    struct sigaction handler {};
    handler.sa_sigaction = on_trap;
    handler.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSYS, &handler, nullptr);
    static std::atomic<long> counted;
    static std::atomic<bool> done;
    done = false;
    // The thread can never end, because its end makes system calls, and a trapped call does
    // nothing. (A futex call that does nothing would leave another thread waiting for a lock.) So
    // the thread sleeps until the process ends.
    std::thread([&code] {
        counted = count_in_this_thread(code);
        done = true;
        for (;;) ::syscall(SYS_ppoll, nullptr, 0, nullptr, nullptr, 0);
    }).detach();
    while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return counted;
}

}  // namespace ductile::bench
