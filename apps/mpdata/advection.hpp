// A step of a slab, by all threads.
#pragma once

#include <vector>

#include "mpdata/grid.hpp"
#include "mpdata/scheme.hpp"
#include "mpdata/slab.hpp"
#include "mpdata/sweep.hpp"

namespace mpdata {

/// How a slab of `planes` planes is cut into boxes: rows of a box so that what a sweep keeps fits
/// into a processor's own cache, planes so that each of `threads` has a box.
std::vector<Box> cut(const Grid& grid, std::int64_t planes, int threads);

class Advection {
  public:
    /// For `threads` threads. Throws std::invalid_argument when `scheme` is no valid one.
    Advection(const Grid& grid, const Scheme& scheme, int threads = 1);

    /// One step: `result` gets the slab's own planes; it is another array than fields.psi. The
    /// values do not depend on how the grid is cut into slabs, nor on the number of threads.
    /// Communicates nothing: the ghost planes hold the neighbours' values before the step.
    void step(const Slab& slab, const SlabFields& fields, double* result);

  private:
    Grid grid_;
    Scheme scheme_;
    std::vector<Sweep> sweeps_;  ///< one for each thread
};

}  // namespace mpdata
