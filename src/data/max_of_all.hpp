// The largest number of all ranks. A rank does not wait for ever if the operation is given up.
#pragma once

#include "data/progress.hpp"
#include "mpi/comm.hpp"

namespace ductile::data {

/// Returns the largest number of all ranks, when all ranks have given theirs. Sleeps while it
/// waits. Rank 0 hears from each rank before it sends to that rank (docs/decisions/0003).
/// Collective. Throws MpiError, and Abandoned if nobody waits any more: MPI may then still work on
/// the collective call.
int max_of_all(const mpi::Comm& comm, int mine, Progress& progress);

}  // namespace ductile::data
