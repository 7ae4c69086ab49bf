// How a call of MPI is wrapped: macros for the files of wrappers. Two libraries are made of these
// files: libductile_check, and libductile_mpi_time (DUCTILE_TIMES_CALLS).
#pragma once

#include <mpi.h>

#ifdef DUCTILE_TIMES_CALLS
#include "check/timed_call.hpp"
#else
#include "check/call.hpp"
#endif
#include "ductile/error.hpp"

namespace ductile::check {

#ifdef DUCTILE_TIMES_CALLS
using WrappedCall = TimedCall;
using WrappedWaiting = TimedWaiting;
#else
using WrappedCall = Call;
using WrappedWaiting = Waiting;
#endif

}  // namespace ductile::check

// NOLINTBEGIN(bugprone-macro-parentheses): parameters, arguments and types are pasted as they are
#define DUCTILE_LIST(...) __VA_ARGS__

/// The place of the call in the program. Use it only in the body of a wrapper: it takes the return
/// address of that function.
#define DUCTILE_SITE(name) \
    { "MPI_" #name, __builtin_return_address(0) }

/// A call with the communicator `comm`.
#define DUCTILE_WRAP(kind, name, parameters, arguments, peer)               \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters) {     \
        using namespace ductile::check;                                     \
        const WrappedCall call(DUCTILE_SITE(name), Kind::kind, comm, peer); \
        return PMPI_##name(DUCTILE_LIST arguments);                         \
    }

/// The same for a call whose last parameter is a request.
#define DUCTILE_WRAP_START(kind, name, parameters, arguments, peer)                           \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters, MPI_Request* request) { \
        using namespace ductile::check;                                                       \
        const WrappedCall call(DUCTILE_SITE(name), Kind::kind, comm, peer);                   \
        const int code = PMPI_##name(DUCTILE_LIST arguments, request);                        \
        if (code == MPI_SUCCESS) call.began(*request);                                        \
        return code;                                                                          \
    }

/// A collective call that makes a communicator: its last parameter.
#define DUCTILE_WRAP_MAKER(name, parameters, arguments)                                     \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters, MPI_Comm* new_comm) { \
        using namespace ductile::check;                                                     \
        const WrappedCall call(DUCTILE_SITE(name), Kind::collective, comm);                 \
        const int code = PMPI_##name(DUCTILE_LIST arguments, new_comm);                     \
        if (code == MPI_SUCCESS) call.made(*new_comm, comm);                                \
        return code;                                                                        \
    }

/// A blocking collective call, and its nonblocking form.
#define DUCTILE_WRAP_BOTH(name, small_name, parameters, arguments, peer) \
    DUCTILE_WRAP(collective, name, parameters, arguments, peer)          \
    DUCTILE_WRAP_START(starts_collective, I##small_name, parameters, arguments, peer)
// NOLINTEND(bugprone-macro-parentheses)
