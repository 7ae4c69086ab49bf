// Tells a preloaded libductile_check about the job (src/check). Without that library each call is
// one branch.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ductile/error.hpp"

extern "C" {
/// The process is a member of the job from now on. `side`: a communicator of the same processes
/// that carries no other point-to-point messages. If it is MPI_COMM_NULL, this call makes one and
/// is collective over `job`. `point`: the resize point at which this job communicator began.
DUCTILE_PUBLIC void ductile_check_job(MPI_Comm job, MPI_Comm side, std::int64_t point, int newcomer)
    __attribute__((weak));
/// The communicators of the last ductile_check_job() are about to be freed.
DUCTILE_PUBLIC void ductile_check_no_job() __attribute__((weak));
/// The program may use this communicator. Forget an earlier communicator with the same handle.
DUCTILE_PUBLIC void ductile_check_lends(MPI_Comm comm) __attribute__((weak));
/// MPI_COMM_WORLD is the job at all times (Options::one_world).
DUCTILE_PUBLIC void ductile_check_one_world() __attribute__((weak));
/// The program waits in this function of the library. Null: it waits no more.
DUCTILE_PUBLIC void ductile_check_waits(const char* function) __attribute__((weak));
}

namespace ductile::engine {

inline void tell_check_of_job(MPI_Comm job, MPI_Comm side, std::int64_t point, bool newcomer) {
    if (ductile_check_job != nullptr) ductile_check_job(job, side, point, newcomer ? 1 : 0);
}

inline void tell_check_of_no_job() {
    if (ductile_check_no_job != nullptr) ductile_check_no_job();
}

inline void tell_check_of_loan(MPI_Comm comm) {
    if (ductile_check_lends != nullptr) ductile_check_lends(comm);
}

inline void tell_check_of_one_world() {
    if (ductile_check_one_world != nullptr) ductile_check_one_world();
}

/// While this object lives, the program waits in `function`.
class CheckedWait {
  public:
    explicit CheckedWait(const char* function) {
        if (ductile_check_waits != nullptr) ductile_check_waits(function);
    }
    CheckedWait(const CheckedWait&) = delete;
    CheckedWait& operator=(const CheckedWait&) = delete;
    ~CheckedWait() {
        if (ductile_check_waits != nullptr) ductile_check_waits(nullptr);
    }
};

}  // namespace ductile::engine
