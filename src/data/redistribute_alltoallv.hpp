// Redistribution by collective calls over all ranks.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// Carries out the minimal transfer plan by MPI_Ialltoallw, in rounds. In a round no rank sends
/// another rank more than one piece. So counts beyond 2^31 work, progress is visible, and no data
/// are copied before the call. It begins when all ranks are there.
std::unique_ptr<Mover> make_alltoallv_mover(MoverInputs inputs);

}  // namespace ductile::data
