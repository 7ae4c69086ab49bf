// One step of a box of cells, plane after plane along the first dimension.
//
// All passes run behind one another in one sweep: while plane i of the field is read, the first
// pass computes plane i - 1, the next pass a plane one or two behind, and so on. Only the last few
// planes of the results between passes are kept, so that they stay in the cache. Main memory sees
// the five input arrays and the output once. A box needs results beyond its borders, and computes
// them itself, although a neighbouring box computes them, too.
#pragma once

#include <cstdint>
#include <vector>

#include "mpdata/face_kernels.hpp"
#include "mpdata/grid.hpp"
#include "mpdata/plane_ring.hpp"
#include "mpdata/row_kernels.hpp"
#include "mpdata/scheme.hpp"
#include "mpdata/slab.hpp"

namespace mpdata {

/// Indices from `begin` to before `end`.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] bool holds(std::int64_t i) const { return i >= begin && i < end; }
};

/// Planes, counted from the slab's first one, and rows of the grid.
struct Box {
    Span planes;
    Span rows;
};

class Sweep {
  public:
    /// For boxes of at most `rows` rows.
    Sweep(const Grid& grid, const Scheme& scheme, std::int64_t rows);

    /// Computes the cells of the box after one step. `result` points to the slab's first own plane.
    void run(const Slab& slab, const SlabFields& fields, const Box& box, double* result);

  private:
    /// What a corrective pass keeps, and the field that it corrects.
    struct Pass {
        PlaneRing before;
        PlaneRing x_flux, y_flux, z_flux;
        PlaneRing x_velocity, y_velocity, z_velocity;  ///< empty in the last pass
        /// Empty unless fluxes are limited. `most` and `least`: the larger and the smaller of the
        /// values of a cell before the step and before this pass.
        PlaneRing most, least, inflow, outflow;
    };
    /// The rows of a plane, for reading. `period`: the number of rows after which they repeat; 0:
    /// they do not repeat.
    struct Rows {
        Plane<const double> plane;
        std::int64_t period = 0;

        [[nodiscard]] const double* row(std::int64_t j) const {
            if (period != 0 && (j < 0 || j >= period)) j = (j % period + period) % period;
            return plane.row(j);
        }
    };
    void begin_rings(std::int64_t first_row);
    Pass& pass_of(int pass) { return passes_[static_cast<std::size_t>(pass - 2)]; }
    [[nodiscard]] Span planes(std::int64_t extent) const;
    [[nodiscard]] Span rows(std::int64_t extent) const;
    [[nodiscard]] std::int64_t nearest_plane(std::int64_t i) const;
    [[nodiscard]] std::int64_t nearest_row(std::int64_t j) const;
    [[nodiscard]] bool is_boundary_plane(std::int64_t face) const;
    [[nodiscard]] bool is_boundary_row(std::int64_t face) const;

    [[nodiscard]] Rows input(const double* array, std::int64_t plane, std::int64_t row,
                             std::int64_t i) const;
    [[nodiscard]] Rows psi(std::int64_t i) const;
    [[nodiscard]] Rows density(std::int64_t i) const;
    [[nodiscard]] static Rows kept(PlaneRing& ring, std::int64_t i);
    [[nodiscard]] Rows cells(PlaneRing& ring, std::int64_t i) const;
    [[nodiscard]] Rows x_gc(int pass, std::int64_t i);
    [[nodiscard]] Rows y_gc(int pass, std::int64_t i);
    [[nodiscard]] Rows z_gc(int pass, std::int64_t i);
    [[nodiscard]] Plane<double> target(int pass, std::int64_t i);
    [[nodiscard]] static Allowed allowed(Pass& kept, std::int64_t i, std::int64_t j);
    void close_row(double* row) const;
    void finish_row(int pass, std::int64_t i, std::int64_t j, double* row);

    void donor(std::int64_t i);
    void correct(int pass, std::int64_t newest);
    void faces(int pass, std::int64_t i, Faces which);
    void clear(double* flux, double* velocity) const;
    void close_z(double* flux, double* velocity) const;
    void limits(int pass, std::int64_t i);
    void scale_x(int pass, std::int64_t i);
    void scale_yz(int pass, std::int64_t i);
    void update(int pass, std::int64_t i);

    Grid grid_;
    Scheme scheme_;
    std::vector<Pass> passes_;  ///< passes_[0] is the second pass
    Slab slab_;
    SlabFields fields_;
    Box box_;
    double* result_ = nullptr;
};

}  // namespace mpdata
