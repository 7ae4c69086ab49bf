#include "mpi/abort_trap.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "mpi/control_variable.hpp"

namespace ductile::mpi {

namespace {

thread_local std::function<void()> tell;
struct sigaction replaced {};

using Frames = std::array<void*, 16>;

int look_at_callers(Frames& frames) {
    return ::backtrace(frames.data(), static_cast<int>(frames.size()));
}

Dl_info object_of(const void* code) {
    Dl_info info{};
    ::dladdr(code, &info);
    return info;
}

// False, for example, if malloc called abort() because the heap is corrupt.
bool mpi_called_abort() {
    Frames frames{};
    const auto n = static_cast<std::size_t>(look_at_callers(frames));
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const char* name = object_of(frames[i]).dli_sname;
        if (name != nullptr && std::strcmp(name, "abort") == 0)
            return object_of(frames[i + 1]).dli_fbase ==
                   object_of(reinterpret_cast<const void*>(&PMPI_Abort)).dli_fbase;
    }
    return false;
}

void on_sigabrt(int /*signal*/) {
    if (tell && mpi_called_abort()) {
        tell();
        for (;;) ::pause();
    }
    ::sigaction(SIGABRT, &replaced, nullptr);
    ::raise(SIGABRT);
}

struct Installed {
    ControlVariable calls_abort{"MPIR_CVAR_COREDUMP_ON_ABORT", 1};

    Installed() {
        Frames frames{};
        look_at_callers(frames);  // its first call loads a library, which a handler must not do
        struct sigaction ours {};
        ours.sa_handler = on_sigabrt;
        ours.sa_flags = SA_NODEFER;
        ::sigaction(SIGABRT, &ours, &replaced);
    }
    Installed(const Installed&) = delete;
    Installed& operator=(const Installed&) = delete;
    ~Installed() { ::sigaction(SIGABRT, &replaced, nullptr); }
};

std::mutex mutex;
int traps = 0;
Installed* installed = nullptr;  // made by the first trap, deleted by the last

}  // namespace

AbortTrap::AbortTrap() {
    const std::lock_guard lock(mutex);
    if (traps++ == 0) installed = new Installed;
}

AbortTrap::~AbortTrap() {
    const std::lock_guard lock(mutex);
    if (keep_ || --traps > 0) return;
    delete std::exchange(installed, nullptr);
}

void AbortTrap::guard_this_thread(std::function<void()> on_abort) {
    tell = std::move(on_abort);
}

}  // namespace ductile::mpi
