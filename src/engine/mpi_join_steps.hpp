// The steps of a join, over MPI.
#pragma once

#include "engine/join_steps.hpp"

namespace ductile::engine {

std::shared_ptr<JoinSteps> join_over_mpi();

/// All MPI operations of the switches, over MPI.
MpiCalls calls_over_mpi();

}  // namespace ductile::engine
