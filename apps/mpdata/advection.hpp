// A step of a slab, by all threads.
#pragma once

#include <vector>

#include "mpdata/grid.hpp"
#include "mpdata/scheme.hpp"
#include "mpdata/slab.hpp"
#include "mpdata/sweep.hpp"

namespace mpdata {

/// Cuts a slab of `planes` planes into boxes. A box has few rows, so that most of the planes that a
/// sweep keeps stay in the cache of a core. The planes are cut so that each of `threads` threads
/// has a box, if there are enough planes.
std::vector<Box> cut(const Grid& grid, std::int64_t planes, int threads);

class Advection {
  public:
    /// For `threads` threads. Throws std::invalid_argument when `scheme` is not valid.
    Advection(const Grid& grid, const Scheme& scheme, int threads = 1);

    /// One step: `result` receives the slab's own planes. It must be another array than fields.psi.
    /// The values do not depend on how the grid is cut into slabs, nor on the number of threads.
    /// Communicates nothing: the ghost planes must hold the neighbours' values from before the
    /// step.
    void step(const Slab& slab, const SlabFields& fields, double* result);

  private:
    Grid grid_;
    Scheme scheme_;
    std::vector<Sweep> sweeps_;  ///< one for each thread
};

}  // namespace mpdata
