#include "cluster/unprivileged_setgroups.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

void ignore_forbidden_setgroups() {
    if (!read_file("/proc/self/setgroups").starts_with("deny")) return;
    // Jobs inherit the filter. It compares only the number of a system call. In a 32-bit program,
    // SYS_setgroups is the number of another system call, which then does nothing.
    std::array<sock_filter, 4> filter{{
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_setgroups},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO},  // errno 0: success
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    }};
    const sock_fprog program{filter.size(), filter.data()};
    check(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "ignore setgroups by seccomp");
}

}  // namespace ductile::cluster
