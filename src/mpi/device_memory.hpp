// Whether MPI can access the memory of devices.
#pragma once

#include "ductile/array_memory.hpp"

namespace ductile::mpi {

/// Asks MPI whether it can send from memory of this device and receive in it. No for Device::none,
/// and under an MPI that cannot be asked. Precondition: MPI is initialised.
bool can_access(Device device);

}  // namespace ductile::mpi
