// Time steps of the whole grid, a slab a rank.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpdata/advection.hpp"
#include "mpdata/halo_exchange.hpp"
#include "mpdata/slab_arrays.hpp"

namespace mpdata {

/// By how many planes more than a step reads of cells `x` has ghosts behind: the faces behind them.
constexpr std::int64_t faces_behind = 1;

class Stepper {
  public:
    /// `last_faces`: those that last_faces() gives.
    Stepper(const Grid& grid, const Scheme& scheme, int threads, std::vector<double> last_faces);

    /// Goes on with these arrays, which have halo_width() ghost planes before and behind, `x` one
    /// more behind. Collective over `comm`, whose ranks hold the slabs that slab_of() gives; waits
    /// for the ghosts of all arrays that do not change.
    void begin(MPI_Comm comm, const SlabArrays& arrays);

    /// One step. Collective over the communicator; waits for the neighbours' planes.
    void step();

    /// The field now: the slab's first own plane.
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
