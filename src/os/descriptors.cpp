#include "os/descriptors.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ductile::os {

Fd open_nothing(int access) {
    return Fd(::open("/dev/null", access | O_CLOEXEC));
}

Fd watch_process(pid_t pid) {
    return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void signal_process(int watch, int number) {
    ::syscall(SYS_pidfd_send_signal, watch, number, nullptr, 0);
}

void never_block(const Fd& fd) {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace ductile::os
