// A number that all ranks agree on, while nobody who is given up is waited for.
#pragma once

#include "data/progress.hpp"
#include "mpi/comm.hpp"

namespace ductile::data {

/// The largest of what the ranks say; none returns before all have said theirs. Waits asleep. Rank
/// 0 hears each of the others before it speaks to them (docs/decisions/0003). Collective; throws
/// MpiError, and Abandoned: then MPI may still be at it.
int largest_of_all(const mpi::Comm& comm, int mine, Progress& progress);

}  // namespace ductile::data
