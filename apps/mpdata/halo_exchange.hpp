// Fetches ghost planes from the ranks that own them.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpdata/halo_plan.hpp"

namespace mpdata {

class HaloExchange {
  public:
    /// For `comm`, whose ranks hold the slabs of `planes` planes in order. Local.
    HaloExchange(MPI_Comm comm, std::int64_t planes, const GhostPlanes& ghosts, bool periodic);

    /// Fills the ghost planes of an array. `first` points to the first own plane. A plane has
    /// `width` values. Collective over the communicator; waits for the planes that this rank needs.
    void run(double* first, std::int64_t width) const;

  private:
    MPI_Comm comm_;
    int rank_ = 0;
    std::vector<PlaneTransfer> transfers_;
};

}  // namespace mpdata
