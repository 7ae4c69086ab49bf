// Redistribution by collective calls over all ranks.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// Carries the minimal transfer plan out by MPI_Ialltoallw, in as many rounds as it takes that no
/// rank sends another more than a piece at a time: so counts beyond 2^31 are ordinary, progress is
/// seen, and nothing is copied on the way to the call. It begins when all ranks are there.
std::unique_ptr<Mover> make_alltoallv_mover(MoverInputs inputs);

}  // namespace ductile::data
