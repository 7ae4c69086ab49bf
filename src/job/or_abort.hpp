// For C functions that cannot return an error.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "mpi/check.hpp"

namespace ductile {

/// If `call` throws, prints the error on stderr, and ends the program by MPI_Abort. If MPI does not
/// run, ends only this process.
template <class Call>
auto or_abort(const char* function, const Call& call) noexcept -> decltype(call()) {
    try {
        return call();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile: %s: %s\n", function, error.what());
        if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
        std::_Exit(1);
    }
}

}  // namespace ductile
