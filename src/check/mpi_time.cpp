// What libductile_mpi_time tells the library of the program.
#include "check/timed_call.hpp"
#include "engine/mpi_time_hook.hpp"

extern "C" double ductile_mpi_seconds() {
    return ductile::check::mpi_time_of_this_thread.seconds();
}
