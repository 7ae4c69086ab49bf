// MPDATA's formulas on rows of contiguous values, for which a compiler can use vector instructions.
// The formulas of the correction's velocities are in face_kernels.hpp. Every value is computed from
// the same operands by the same operations in the same order wherever its row lies, so that results
// do not depend on how the grid is cut.
#pragma once

#include <cstdint>

namespace mpdata {

/// Computes the upstream fluxes through the six faces of each cell, and the value of the cell after
/// them. x0, y0 and z0 are the lower faces, x1 and y1 the upper faces.
struct DonorRow {
    double* result;
    const double* cell;
    const double *x_below, *x_above, *y_below, *y_above;  ///< the neighbours' rows
    const double *x0, *x1, *y0, *y1, *z0;                 ///< GC; z0[k + 1] is the upper face
    const double* density;
    bool periodic;  ///< along the row; if not, an outermost cell is its own neighbour
};
void donor_row(const DonorRow& row, std::int64_t n);

/// Computes the larger and the smaller one of two values.
struct ExtremesRow {
    double *most, *least;
    const double *one, *other;
};
void extremes_row(const ExtremesRow& row, std::int64_t n);

/// Computes the factors for the fluxes into and out of each cell with which no new extremum
/// appears.
struct LimitRow {
    double *inflow, *outflow;
    const double* cell;
    /// For a cell and its neighbours: the larger and the smaller of the values before the step and
    /// before this pass.
    const double *most, *most_x_below, *most_x_above, *most_y_below, *most_y_above;
    const double *least, *least_x_below, *least_x_above, *least_y_below, *least_y_above;
    const double *x0, *x1, *y0, *y1, *z0;  ///< fluxes; z0[k + 1] is the upper face
    const double* density;
};
/// Precondition: `most` and `least` can be read from -1 to n.
void limit_row(const LimitRow& row, std::int64_t n);

/// The factors that cells allow for fluxes into them and out of them (from LimitRow).
struct Allowed {
    const double *inflow, *outflow;
};

/// Scales velocities by the factors that the cells on both sides allow for the fluxes.
struct ScaleRow {
    double* velocity;
    const double* flux;
    Allowed l, r;
};
void scale_row(const ScaleRow& row, std::int64_t n);

/// Computes the value of each cell after the fluxes.
struct UpdateRow {
    double* result;
    const double* cell;
    const double *x0, *x1, *y0, *y1, *z0;  ///< fluxes; z0[k + 1] is the upper face
    const double* density;
};
void update_row(const UpdateRow& row, std::int64_t n);

/// The same, with each flux scaled by the factor that the cells on both sides allow.
struct Limits {
    Allowed cell, x_below, x_above, y_below, y_above;
};
/// Precondition: rows of `limits.cell` can be read from -1 to n.
void limited_update_row(const UpdateRow& row, const Limits& limits, std::int64_t n);

}  // namespace mpdata
