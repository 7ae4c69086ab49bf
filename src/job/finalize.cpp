// MPI_Finalize, by MPI's profiling interface. It first ends process groups that still exist,
// while MPI still allows calls of several threads.
#include <mpi.h>

#include "ductile/error.hpp"
#include "groups/at_finalize.hpp"

extern "C" DUCTILE_PUBLIC int MPI_Finalize() {
    ductile::groups::AtFinalize::call_all();
    return PMPI_Finalize();
}
