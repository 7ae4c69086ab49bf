// MPI_Finalize, by MPI's profiling interface: groups that are left end first, while MPI still lets
// several threads in.
#include <mpi.h>

#include "ductile/error.hpp"
#include "groups/at_finalize.hpp"

extern "C" DUCTILE_PUBLIC int MPI_Finalize() {
    ductile::groups::AtFinalize::call_all();
    return PMPI_Finalize();
}
