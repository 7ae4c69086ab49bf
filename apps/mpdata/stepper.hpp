// Time steps of the whole grid. Each rank has a slab.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpdata/advection.hpp"
#include "mpdata/halo_exchange.hpp"
#include "mpdata/slab_arrays.hpp"

namespace mpdata {

/// The number of ghost planes that `x` has behind a slab in addition to those of the other arrays:
/// the faces behind the last ghost cells.
constexpr std::int64_t faces_behind = 1;

class Stepper {
  public:
    /// `last_faces`: the result of last_faces().
    Stepper(const Grid& grid, const Scheme& scheme, int threads, std::vector<double> last_faces);

    /// Continues with these arrays. They have halo_width() ghost planes before and behind, and `x`
    /// has `faces_behind` more behind. Collective over `comm`, whose ranks hold the slabs that
    /// slab_of() returns. Fetches the ghost planes of all arrays that do not change.
    void begin(MPI_Comm comm, const SlabArrays& arrays);

    /// One step. Collective over the communicator; waits for the neighbours' planes.
    void step();

    /// The present field: a pointer to the slab's first own plane.
    [[nodiscard]] const double* field() const { return now_; }

    /// Copies the field into the array psi unless it is there. Local.
    void settle();

  private:
    Grid grid_;
    std::int64_t halo_;
    std::vector<double> last_faces_;
    Advection advection_;
    SlabArrays arrays_;
    std::optional<HaloExchange> exchange_;
    std::vector<double> other_;  ///< every second step leaves the field here
    double* now_ = nullptr;
    double* next_ = nullptr;
};

}  // namespace mpdata
