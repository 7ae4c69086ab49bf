// The steps of a process that starts groups, over MPI.
#pragma once

#include <memory>

#include "engine/spawn_steps.hpp"

namespace ductile::engine {

std::shared_ptr<SpawnSteps> spawn_over_mpi();

}  // namespace ductile::engine
