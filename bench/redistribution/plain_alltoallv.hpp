// What a program would write by itself for the same map: one MPI_Alltoallv of all ranks.
#pragma once

#include <vector>

#include "data/mover.hpp"

namespace ductile::bench {

/// Takes memory for this rank's new part, and moves one array by MPI_Alltoallv. What does not lie
/// in one piece for each pair of ranks is packed before and unpacked after. Throws InputError where
/// a rank has 2^31 bytes or more to send or to receive.
data::Block move_by_plain_alltoallv(const mpi::Comm& comm, const data::Parties& parties,
                                    const data::Outgoing& array);

}  // namespace ductile::bench
