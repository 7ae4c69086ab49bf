#include "mpdata/row_kernels.hpp"

#include <cfloat>
#include <cmath>

// Wider vectors where the processor has them. They change no bit: nothing is contracted or summed
// in another order. Sanitizers do not run the resolvers of such functions well.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MPDATA_VECTORISED [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define MPDATA_VECTORISED
#endif
#define MPDATA_INLINE [[gnu::always_inline]] inline

namespace mpdata {

namespace {

// Below 1 by more than the rounding of a cell's fluxes, so that limited ones never drain a cell
// below its minimum.
constexpr double almost_one = 1.0 - 0x1p-48;

MPDATA_INLINE double larger(double a, double b) {
    return a > b ? a : b;
}
MPDATA_INLINE double smaller(double a, double b) {
    return a < b ? a : b;
}

MPDATA_INLINE double upstream(double gc, double l, double r) {
    return larger(gc, 0.0) * l + smaller(gc, 0.0) * r;
}

// Where both are zero, so is the quotient; |difference| <= sum.
MPDATA_INLINE double relative(double difference, double sum) {
    return difference / larger(sum, DBL_MIN);
}

MPDATA_INLINE double left_after(double x0, double x1, double y0, double y1, double z0, double z1) {
    return (x1 - x0) + (y1 - y0) + (z1 - z0);
}

template <bool gauge, bool keep>
MPDATA_INLINE void face_row(const FaceRow& row, std::int64_t n) {
    double* __restrict flux = row.flux;
    double* __restrict velocity = row.velocity;
    const double* __restrict l = row.l;
    const double* __restrict r = row.r;
    const double* __restrict gc = row.gc;
    const double* __restrict l_density = row.l_density;
    const double* __restrict r_density = row.r_density;
    const Across a = row.a;
    const Across b = row.b;
    // The gradient of the field across the face, relative to the field unless the gauge is
    // infinite.
    const auto gradient = [](double l_before, double r_before, double l_after, double r_after) {
        if constexpr (gauge) return 0.25 * ((l_after + r_after) - (l_before + r_before));
        const double after = std::fabs(l_after) + std::fabs(r_after);
        const double before = std::fabs(l_before) + std::fabs(r_before);
        return relative(after - before, after + before);
    };
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double density = 0.5 * (l_density[k] + r_density[k]);
        const double a_gc = (a.l_lower[k] + a.r_lower[k]) + (a.l_upper[k] + a.r_upper[k]);
        const double b_gc = (b.l_lower[k] + b.r_lower[k]) + (b.l_upper[k] + b.r_upper[k]);
        double along = 0.5 * (r[k] - l[k]);
        if constexpr (!gauge)
            along = relative(std::fabs(r[k]) - std::fabs(l[k]), std::fabs(l[k]) + std::fabs(r[k]));
        const double across =
            a_gc * gradient(a.l_before[k], a.r_before[k], a.l_after[k], a.r_after[k]) +
            b_gc * gradient(b.l_before[k], b.r_before[k], b.l_after[k], b.r_after[k]);
        const double size = std::fabs(gc[k]);
        const double scaled = gc[k] / density;
        const double result = (size - gc[k] * scaled) * along - 0.125 * (scaled * across);
        flux[k] = gauge ? result : upstream(result, l[k], r[k]);
        if constexpr (keep) velocity[k] = result;
    }
}

}  // namespace

MPDATA_VECTORISED void donor_row(const DonorRow& row, std::int64_t n) {
    double* __restrict result = row.result;
    const double* __restrict cell = row.cell;
    const double* __restrict density = row.density;
    const DonorRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double change = left_after(
            upstream(in.x0[k], in.x_below[k], cell[k]), upstream(in.x1[k], cell[k], in.x_above[k]),
            upstream(in.y0[k], in.y_below[k], cell[k]), upstream(in.y1[k], cell[k], in.y_above[k]),
            upstream(in.z0[k], cell[k - 1], cell[k]), upstream(in.z0[k + 1], cell[k], cell[k + 1]));
        result[k] = cell[k] - change / density[k];
    }
}

MPDATA_VECTORISED void antidiffusive_row_once(const FaceRow& row, std::int64_t n) {
    face_row<false, false>(row, n);
}
MPDATA_VECTORISED void antidiffusive_row_kept(const FaceRow& row, std::int64_t n) {
    face_row<false, true>(row, n);
}
void antidiffusive_row(const FaceRow& row, std::int64_t n) {
    if (row.velocity == nullptr)
        antidiffusive_row_once(row, n);
    else
        antidiffusive_row_kept(row, n);
}
MPDATA_VECTORISED void gauge_row(const FaceRow& row, std::int64_t n) {
    face_row<true, false>(row, n);
}

MPDATA_VECTORISED void limit_row(const LimitRow& row, std::int64_t n) {
    double* __restrict inflow = row.inflow;
    double* __restrict outflow = row.outflow;
    const LimitRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double* old = in.old + k;
        const double* now = in.now + k;
        double most = larger(larger(old[0], now[0]), larger(old[-1], old[1]));
        double least = smaller(smaller(old[0], now[0]), smaller(old[-1], old[1]));
        const auto see = [&](double one, double other) {
            most = larger(most, larger(one, other));
            least = smaller(least, smaller(one, other));
        };
        see(now[-1], now[1]);
        see(in.old_x_below[k], in.old_x_above[k]);
        see(in.old_y_below[k], in.old_y_above[k]);
        see(in.now_x_below[k], in.now_x_above[k]);
        see(in.now_y_below[k], in.now_y_above[k]);
        const double in_sum = (larger(in.x0[k], 0.0) - smaller(in.x1[k], 0.0)) +
                              (larger(in.y0[k], 0.0) - smaller(in.y1[k], 0.0)) +
                              (larger(in.z0[k], 0.0) - smaller(in.z0[k + 1], 0.0));
        const double out_sum = (larger(in.x1[k], 0.0) - smaller(in.x0[k], 0.0)) +
                               (larger(in.y1[k], 0.0) - smaller(in.y0[k], 0.0)) +
                               (larger(in.z0[k + 1], 0.0) - smaller(in.z0[k], 0.0));
        const double room = almost_one * in.density[k];
        inflow[k] = smaller(1.0, (most - now[0]) * room / larger(in_sum, DBL_MIN));
        outflow[k] = smaller(1.0, (now[0] - least) * room / larger(out_sum, DBL_MIN));
    }
}

namespace {
template <bool keep>
MPDATA_INLINE void scale_faces(const ScaleRow& row, std::int64_t n) {
    double* __restrict flux = row.flux;
    double* __restrict velocity = row.velocity;
    const ScaleRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k) {
        const double upwards = smaller(in.l_outflow[k], in.r_inflow[k]);
        const double downwards = smaller(in.r_outflow[k], in.l_inflow[k]);
        // A flux of nothing says no direction, but the next pass needs the velocity's.
        double direction = flux[k];
        if constexpr (keep) direction = flux[k] == 0.0 ? velocity[k] : flux[k];
        const double factor = direction > 0.0 ? upwards : downwards;
        flux[k] *= factor;
        if constexpr (keep) velocity[k] *= factor;
    }
}
}  // namespace

MPDATA_VECTORISED void scale_row_once(const ScaleRow& row, std::int64_t n) {
    scale_faces<false>(row, n);
}
MPDATA_VECTORISED void scale_row_kept(const ScaleRow& row, std::int64_t n) {
    scale_faces<true>(row, n);
}
void scale_row(const ScaleRow& row, std::int64_t n) {
    if (row.velocity == nullptr)
        scale_row_once(row, n);
    else
        scale_row_kept(row, n);
}

MPDATA_VECTORISED void update_row(const UpdateRow& row, std::int64_t n) {
    double* __restrict result = row.result;
    const UpdateRow in = row;
#pragma omp simd
    for (std::int64_t k = 0; k < n; ++k)
        result[k] = in.cell[k] -
                    left_after(in.x0[k], in.x1[k], in.y0[k], in.y1[k], in.z0[k], in.z0[k + 1]) /
                        in.density[k];
}

}  // namespace mpdata
