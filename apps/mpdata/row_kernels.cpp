#include "mpdata/row_kernels.hpp"

#include <cmath>

#include "mpdata/vectorised.hpp"

namespace mpdata {

namespace {

// Below 1 by more than the rounding errors of a cell's fluxes, so that limited fluxes never take a
// cell below its minimum.
constexpr double almost_one = 1.0 - 0x1p-48;

MPDATA_INLINE double left_after(double x0, double x1, double y0, double y1, double z0, double z1) {
    return (x1 - x0) + (y1 - y0) + (z1 - z0);
}

MPDATA_INLINE void donor_cell(const DonorRow& in, std::int64_t k, std::int64_t z_below,
                              std::int64_t z_above) {
    const double cell = in.cell[k];
    const double change = left_after(
        upstream(in.x0[k], in.x_below[k], cell), upstream(in.x1[k], cell, in.x_above[k]),
        upstream(in.y0[k], in.y_below[k], cell), upstream(in.y1[k], cell, in.y_above[k]),
        upstream(in.z0[k], in.cell[z_below], cell), upstream(in.z0[k + 1], cell, in.cell[z_above]));
    in.result[k] = cell - change / in.density[k];
}

// Twice the inflow through a lower and an upper face. With the arguments exchanged: twice the
// outflow.
MPDATA_INLINE double twice_inflow(double lower, double upper) {
    return (std::fabs(lower) + lower) + (std::fabs(upper) - upper);
}

MPDATA_INLINE double factor(double direction, double l_inflow, double l_outflow, double r_inflow,
                            double r_outflow) {
    const double upwards = smaller(l_outflow, r_inflow);
    const double downwards = smaller(r_outflow, l_inflow);
    return direction > 0.0 ? upwards : downwards;
}

}  // namespace

MPDATA_VECTORISED void donor_row(const DonorRow& row, std::int64_t n) {
    const DonorRow in = row;
    const std::int64_t last = n - 1;
    donor_cell(in, 0, in.periodic ? last : 0, n > 1 ? 1 : 0);
    // `result` overlaps no other array.
#pragma omp simd
    for (std::int64_t k = 1; k < last; ++k) donor_cell(in, k, k - 1, k + 1);
    if (n > 1) donor_cell(in, last, last - 1, in.periodic ? 0 : last);
}

MPDATA_VECTORISED void extremes_row(const ExtremesRow& row, std::int64_t n) {
    const ExtremesRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        in.most[k] = larger(in.one[k], in.other[k]);
        in.least[k] = smaller(in.one[k], in.other[k]);
    }
}

MPDATA_VECTORISED void limit_row(const LimitRow& row, std::int64_t n) {
    const LimitRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double most =
            larger(larger(larger(in.most[k], larger(in.most[k - 1], in.most[k + 1])),
                          larger(in.most_x_below[k], in.most_x_above[k])),
                   larger(in.most_y_below[k], in.most_y_above[k]));
        const double least =
            smaller(smaller(smaller(in.least[k], smaller(in.least[k - 1], in.least[k + 1])),
                            smaller(in.least_x_below[k], in.least_x_above[k])),
                    smaller(in.least_y_below[k], in.least_y_above[k]));
        // Twice the inflow and the outflow: this needs no comparison.
        const double into = twice_inflow(in.x0[k], in.x1[k]) + twice_inflow(in.y0[k], in.y1[k]) +
                            twice_inflow(in.z0[k], in.z0[k + 1]) + tiny;
        const double out = twice_inflow(in.x1[k], in.x0[k]) + twice_inflow(in.y1[k], in.y0[k]) +
                           twice_inflow(in.z0[k + 1], in.z0[k]) + tiny;
        // One division for both quotients.
        const double room = 2.0 * almost_one * in.density[k] / (into * out);
        in.inflow[k] = smaller(1.0, (most - in.cell[k]) * (room * out));
        in.outflow[k] = smaller(1.0, (in.cell[k] - least) * (room * into));
    }
}

MPDATA_VECTORISED void scale_row(const ScaleRow& row, std::int64_t n) {
    const ScaleRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        // A flux of 0 has no direction, but the next pass needs the velocity: take its sign.
        const double direction = in.flux[k] == 0.0 ? in.velocity[k] : in.flux[k];
        in.velocity[k] *=
            factor(direction, in.l.inflow[k], in.l.outflow[k], in.r.inflow[k], in.r.outflow[k]);
    }
}

MPDATA_VECTORISED void update_row(const UpdateRow& row, std::int64_t n) {
    const UpdateRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k)
        in.result[k] = in.cell[k] -
                       left_after(in.x0[k], in.x1[k], in.y0[k], in.y1[k], in.z0[k], in.z0[k + 1]) /
                           in.density[k];
}

MPDATA_VECTORISED void limited_update_row(const UpdateRow& row, const Limits& limits,
                                          std::int64_t n) {
    const UpdateRow in = row;
    const Limits allowed = limits;
    const auto limited = [](double flux, const Allowed& l, std::int64_t l_k, const Allowed& r,
                            std::int64_t r_k) {
        return flux * factor(flux, l.inflow[l_k], l.outflow[l_k], r.inflow[r_k], r.outflow[r_k]);
    };
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double change =
            left_after(limited(in.x0[k], allowed.x_below, k, allowed.cell, k),
                       limited(in.x1[k], allowed.cell, k, allowed.x_above, k),
                       limited(in.y0[k], allowed.y_below, k, allowed.cell, k),
                       limited(in.y1[k], allowed.cell, k, allowed.y_above, k),
                       limited(in.z0[k], allowed.cell, k - 1, allowed.cell, k),
                       limited(in.z0[k + 1], allowed.cell, k, allowed.cell, k + 1));
        in.result[k] = in.cell[k] - change / in.density[k];
    }
}

}  // namespace mpdata
