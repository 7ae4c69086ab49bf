// Moves an array as a program without Ductile would do: by one MPI_Alltoallv of all ranks.
#pragma once

#include <vector>

#include "data/mover.hpp"

namespace ductile::bench {

/// Allocates this rank's new part, and moves one array by MPI_Alltoallv. If a rank exchanges
/// several pieces with one other rank, it packs its data before, or unpacks it afterwards. Throws
/// InputError where a rank has 2^31 bytes or more to send or to receive.
data::Block move_by_plain_alltoallv(const mpi::Comm& comm, const data::Parties& parties,
                                    const data::Outgoing& array);

}  // namespace ductile::bench
