// Every return code of MPI passes through here.
#pragma once

#include <mpi.h>

#include "ductile/error.hpp"

namespace ductile::mpi {

/// Throws MpiError with the name of the call, its code, the code's class and MPI's own sentence.
[[noreturn]] void raise(int code, const char* call);

inline void check(int code, const char* call) {
    if (code != MPI_SUCCESS) raise(code, call);
}

/// Whether MPI calls are possible now: initialised and not finalised.
bool is_running();

}  // namespace ductile::mpi
