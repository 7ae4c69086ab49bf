// Waiting without a core.
#pragma once

#include <mpi.h>

namespace ductile::mpi {

/// Completes a request, asleep between looks (after a few looks in a row): where ranks share cores,
/// those that are late need them more. Costs up to 0.1 ms where they do not. `call` made the
/// request, for the error.
void wait_asleep(MPI_Request& request, const char* call);

}  // namespace ductile::mpi
