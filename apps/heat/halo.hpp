// The rows beside a rank's block, from its neighbours.
#pragma once

#include <mpi.h>

#include <vector>

#include "heat/stencil.hpp"

namespace heat {

class Halo {
  public:
    /// Collective over `comm`, whose ranks hold the grid's blocks in order. Ranks without rows are
    /// the last ranks, and do nothing. Waits for the rows of the two neighbours.
    void exchange(MPI_Comm comm, Block block);

    /// The row before the block, null when there is none.
    [[nodiscard]] const double* above() const { return has_above_ ? above_.data() : nullptr; }
    /// The row after the block, null when there is none.
    [[nodiscard]] const double* below() const { return has_below_ ? below_.data() : nullptr; }

  private:
    std::vector<double> above_;
    std::vector<double> below_;
    bool has_above_ = false;
    bool has_below_ = false;
};

}  // namespace heat
