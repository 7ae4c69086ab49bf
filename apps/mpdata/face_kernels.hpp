// The correction's velocities and fluxes at the faces of a row of cells.
//
// Notation of smolarkiewicz-margolin-1998: psi the field, G the density, GC the Courant number
// times G at a face. `l` and `r` are the cells on both sides of a face.
#pragma once

#include <cstdint>

namespace mpdata {

/// The upper faces of each cell of a row along x, y and z. Names with `above` and `below` are
/// neighbouring rows. x0 and y0 are GC at the lower faces, x1 and y1 at the upper ones; z[k + 1] is
/// the upper face of cell k.
struct FacesRow {
    double *x_flux, *y_flux, *z_flux;              ///< z_flux[k + 1]
    double *x_velocity, *y_velocity, *z_velocity;  ///< null when no later pass needs them
    const double *cell, *x_below, *x_above, *y_below, *y_above;
    const double *x_below_y_above, *x_above_y_below, *xy_above;
    const double *x0, *x1, *x0_y_above, *x1_y_above;
    const double *y0, *y1, *y0_x_above, *y1_x_above;
    const double *z, *z_x_above, *z_y_above;
    const double *density, *density_x_above, *density_y_above;
};

/// Which faces are computed. For `x` or `y`, only the rows beside these faces are read.
enum class Faces { all, x, y };

/// Computes the velocity that undoes the donor cell's diffusion, and its upstream flux. Along z,
/// the neighbour of the last cell is the first cell. Precondition: rows of the field can be read at
/// the indices -1 to n.
void antidiffusive_faces(const FacesRow& row, Faces which, std::int64_t n);
/// The same for a field to which an infinite constant is added (as a limit). The velocity is then
/// the flux.
void gauge_faces(const FacesRow& row, Faces which, std::int64_t n);

}  // namespace mpdata
