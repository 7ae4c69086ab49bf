// One step of a box of cells, plane after plane along the first dimension.
//
// All passes run behind one another in one sweep: while plane i of the field is read, the first
// pass computes plane i - 1, the next one a plane or two behind it, and so on. Only the last few
// planes of what lies between are kept, so that it stays in cache; main memory sees the five input
// arrays and the output once. A box needs cells beyond its borders; each box computes them anew.
#pragma once

#include <cstdint>
#include <vector>

#include "mpdata/grid.hpp"
#include "mpdata/plane_ring.hpp"
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

    /// Computes the box's cells after a step into `result`, whose first plane is the slab's.
    void run(const Slab& slab, const SlabFields& fields, const Box& box, double* result);

  private:
    /// What a corrective pass keeps, and the field that it corrects.
    struct Pass {
        PlaneRing before;
        PlaneRing x_flux, y_flux, z_flux;
        PlaneRing x_velocity, y_velocity, z_velocity;  ///< empty in the last pass
        PlaneRing inflow, outflow;                     ///< empty unless fluxes are limited
    };
    void begin_rings(std::int64_t first_row);
    Pass& pass_of(int pass) { return passes_[static_cast<std::size_t>(pass - 2)]; }
    [[nodiscard]] Span planes(std::int64_t extent) const;
    [[nodiscard]] Span rows(std::int64_t extent) const;
    [[nodiscard]] std::int64_t wrapped_row(std::int64_t j) const;
    [[nodiscard]] std::int64_t nearest_plane(std::int64_t i) const;
    [[nodiscard]] std::int64_t nearest_row(std::int64_t j) const;
    [[nodiscard]] bool is_boundary_plane(std::int64_t face) const;
    [[nodiscard]] bool is_boundary_row(std::int64_t face) const;

    [[nodiscard]] const double* density(std::int64_t i, std::int64_t j) const;
    [[nodiscard]] const double* cell(PlaneRing& ring, std::int64_t i, std::int64_t j) const;
    [[nodiscard]] const double* x_gc(int pass, std::int64_t i, std::int64_t j);
    [[nodiscard]] const double* y_gc(int pass, std::int64_t i, std::int64_t j);
    [[nodiscard]] const double* z_gc(int pass, std::int64_t i, std::int64_t j);
    [[nodiscard]] double* target(int pass, std::int64_t i, std::int64_t j);
    void close_row(double* row) const;

    void load(std::int64_t i);
    void donor(std::int64_t i);
    void correct(int pass, std::int64_t newest);
    void x_faces(int pass, std::int64_t i);
    void y_faces(int pass, std::int64_t i);
    void z_faces(int pass, std::int64_t i);
    void limits(int pass, std::int64_t i);
    void scale_x(int pass, std::int64_t i);
    void scale_y(int pass, std::int64_t i);
    void scale_z(int pass, std::int64_t i);
    void update(int pass, std::int64_t i);

    Grid grid_;
    Scheme scheme_;
    PlaneRing old_;             ///< the field before the step
    std::vector<Pass> passes_;  ///< passes_[0] is the second pass
    Slab slab_;
    SlabFields fields_;
    Box box_;
    double* result_ = nullptr;
};

}  // namespace mpdata
