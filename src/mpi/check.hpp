// Checks return codes of MPI.
#pragma once

#include <mpi.h>

#include "ductile/error.hpp"

namespace ductile::mpi {

/// Throws MpiError with the name of the call, its code, the code's class and MPI's own text.
[[noreturn]] void raise(int code, const char* call);

inline void check(int code, const char* call) {
    if (code != MPI_SUCCESS) raise(code, call);
}

/// Whether MPI calls are possible now: MPI is initialised and not finalised.
bool is_running();

}  // namespace ductile::mpi
