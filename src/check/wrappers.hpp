// How a call of MPI is wrapped: what every file of wrappers is written with.
#pragma once

#include <mpi.h>

#include "check/call.hpp"
#include "ductile/error.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): parameters, arguments and types are pasted as they are
#define DUCTILE_LIST(...) __VA_ARGS__

/// Where the program calls it. In the wrapper itself, whose caller is meant.
#define DUCTILE_SITE(name) \
    { "MPI_" #name, __builtin_return_address(0) }

/// A call with the communicator `comm`.
#define DUCTILE_WRAP(kind, name, parameters, arguments, peer)           \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters) { \
        using namespace ductile::check;                                 \
        const Call call(DUCTILE_SITE(name), Kind::kind, comm, peer);    \
        return PMPI_##name(DUCTILE_LIST arguments);                     \
    }

/// The same with a request as its last parameter.
#define DUCTILE_WRAP_START(kind, name, parameters, arguments, peer)                           \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters, MPI_Request* request) { \
        using namespace ductile::check;                                                       \
        const Call call(DUCTILE_SITE(name), Kind::kind, comm, peer);                          \
        const int code = PMPI_##name(DUCTILE_LIST arguments, request);                        \
        if (code == MPI_SUCCESS) call.began(*request);                                        \
        return code;                                                                          \
    }

/// A collective call that makes a communicator: its last parameter.
#define DUCTILE_WRAP_MAKER(name, parameters, arguments)                                     \
    extern "C" DUCTILE_PUBLIC int MPI_##name(DUCTILE_LIST parameters, MPI_Comm* new_comm) { \
        using namespace ductile::check;                                                     \
        const Call call(DUCTILE_SITE(name), Kind::collective, comm);                        \
        const int code = PMPI_##name(DUCTILE_LIST arguments, new_comm);                     \
        if (code == MPI_SUCCESS) call.made(*new_comm, comm);                                \
        return code;                                                                        \
    }

/// A collective call and the one that starts it.
#define DUCTILE_WRAP_BOTH(name, small_name, parameters, arguments, peer) \
    DUCTILE_WRAP(collective, name, parameters, arguments, peer)          \
    DUCTILE_WRAP_START(starts_collective, I##small_name, parameters, arguments, peer)
// NOLINTEND(bugprone-macro-parentheses)
