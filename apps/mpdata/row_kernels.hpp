// MPDATA's formulas on rows of contiguous values: what a compiler turns into vector instructions.
// Every value is computed from the same operands by the same operations in the same order wherever
// its row lies, so that results do not depend on how the grid is cut.
//
// Notation of Smolarkiewicz & Margolin (1998): psi the field, G the density, GC the Courant number
// times G at a face. `l` and `r` are the cells on both sides of a face.
#pragma once

#include <cstdint>

namespace mpdata {

/// Upstream fluxes through the six faces of each cell, and what they leave there. Each of x, y, z
/// are the faces on the lower and the upper side.
struct DonorRow {
    double* result;
    const double* cell;
    const double *x_below, *x_above, *y_below, *y_above;  ///< the neighbours' rows
    const double *x0, *x1, *y0, *y1, *z0;                 ///< GC; z0[k + 1] is the upper face
    const double* density;
};
/// Precondition: `cell` can be read from -1 to n.
void donor_row(const DonorRow& row, std::int64_t n);

/// Beside a face, along one of the two other dimensions: the cells after and before `l` and `r`
/// there, and GC at the four faces between them and `l` and `r`.
struct Across {
    const double *l_after, *r_after, *l_before, *r_before;
    const double *l_upper, *r_upper, *l_lower, *r_lower;
};
/// Faces of one row: the velocity that undoes the donor cell's diffusion, and
/// its upstream flux.
struct FaceRow {
    double* flux;
    double* velocity;  ///< null when no later pass needs it
    const double *l, *r;
    const double* gc;
    const double *l_density, *r_density;
    Across a, b;
};
void antidiffusive_row(const FaceRow& row, std::int64_t n);
/// The same in the limit of an infinite constant that is added to the field: the velocity is the
/// flux.
void gauge_row(const FaceRow& row, std::int64_t n);

/// By which factors fluxes into and out of a cell may be scaled so that no new extremum appears.
struct LimitRow {
    double *inflow, *outflow;
    /// The field before the step and before this pass: a cell and its neighbours.
    const double *old, *old_x_below, *old_x_above, *old_y_below, *old_y_above;
    const double *now, *now_x_below, *now_x_above, *now_y_below, *now_y_above;
    const double *x0, *x1, *y0, *y1, *z0;  ///< fluxes; z0[k + 1] is the upper face
    const double* density;
};
/// Precondition: `old` and `now` can be read from -1 to n.
void limit_row(const LimitRow& row, std::int64_t n);

/// Scales fluxes, and velocities unless they are null, by what both cells allow.
struct ScaleRow {
    double* flux;
    double* velocity;
    const double *l_inflow, *l_outflow, *r_inflow, *r_outflow;
};
void scale_row(const ScaleRow& row, std::int64_t n);

/// What the fluxes leave in each cell.
struct UpdateRow {
    double* result;
    const double* cell;
    const double *x0, *x1, *y0, *y1, *z0;  ///< fluxes; z0[k + 1] is the upper face
    const double* density;
};
void update_row(const UpdateRow& row, std::int64_t n);

}  // namespace mpdata
