// The other ranks of a job, over MPI.
#pragma once

#include <memory>

#include "engine/peers.hpp"

namespace ductile::engine {

std::shared_ptr<Peers> peers_over_mpi();

}  // namespace ductile::engine
