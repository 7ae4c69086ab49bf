#include "mpdata/face_kernels.hpp"

#include <cmath>

#include "mpdata/vectorised.hpp"

namespace mpdata {

namespace {

// For the cell l or r of a face, along another dimension: the values of the cells before and behind
// this cell, and GC at the faces between.
struct Beside {
    double before, after;
    double lower, upper;
};

MPDATA_INLINE double gc_of(const Beside& l, const Beside& r) {
    return (l.lower + l.upper) + (r.lower + r.upper);
}

struct Quotient {
    double over, under;
};

// The gradient of the field along the other dimension, relative to the field.
MPDATA_INLINE Quotient relative_gradient(const Beside& l, const Beside& r) {
    const double l_after = std::fabs(l.after);
    const double r_after = std::fabs(r.after);
    const double l_before = std::fabs(l.before);
    const double r_before = std::fabs(r.before);
    return {(l_after - l_before) + (r_after - r_before),
            (l_after + l_before) + (r_after + r_before) + tiny};
}

MPDATA_INLINE double gradient(const Beside& l, const Beside& r) {
    return (l.after - l.before) + (r.after - r.before);
}

struct Face {
    double l, r;
    double gc;
    double density;  ///< the sum of the densities of both cells
    Beside l_a, r_a, l_b, r_b;
};

// Divisions are the slowest operations, so there are as few as possible. Without the gauge there
// are two: one for both quotients along the other dimensions, and one for the rest.
template <bool gauge>
MPDATA_INLINE double velocity_of(const Face& face) {
    const double a_gc = gc_of(face.l_a, face.r_a);
    const double b_gc = gc_of(face.l_b, face.r_b);
    if constexpr (gauge) {
        const double along = face.r - face.l;
        const double across =
            a_gc * gradient(face.l_a, face.r_a) + b_gc * gradient(face.l_b, face.r_b);
        return std::fabs(0.5 * face.gc) * along -
               face.gc / face.density * (face.gc * along + 0.0625 * across);
    } else {
        const Quotient a = relative_gradient(face.l_a, face.r_a);
        const Quotient b = relative_gradient(face.l_b, face.r_b);
        const double across = a_gc * a.over * b.under + b_gc * b.over * a.under;
        const double l = std::fabs(face.l);
        const double r = std::fabs(face.r);
        const double along = l + r + tiny;
        const double size = std::fabs(face.gc);
        // Neither division waits for the other one.
        const double one = 1.0 / (face.density * along);
        const double other = 1.0 / (a.under * b.under);
        return (size * (face.density - 2.0 * size) * (r - l) -
                0.25 * face.gc * along * (across * other)) *
               one;
    }
}

// The upper faces of cell k of a row. `k_above`: the index of the next cell along z, 0 for the last
// cell. Rows of the field do not need it, because they can be read beyond their ends.
MPDATA_INLINE Face x_face(const FacesRow& in, std::int64_t k) {
    return {in.cell[k],
            in.x_above[k],
            in.x1[k],
            in.density[k] + in.density_x_above[k],
            {in.y_below[k], in.y_above[k], in.y0[k], in.y1[k]},
            {in.x_above_y_below[k], in.xy_above[k], in.y0_x_above[k], in.y1_x_above[k]},
            {in.cell[k - 1], in.cell[k + 1], in.z[k], in.z[k + 1]},
            {in.x_above[k - 1], in.x_above[k + 1], in.z_x_above[k], in.z_x_above[k + 1]}};
}

MPDATA_INLINE Face y_face(const FacesRow& in, std::int64_t k) {
    return {in.cell[k],
            in.y_above[k],
            in.y1[k],
            in.density[k] + in.density_y_above[k],
            {in.x_below[k], in.x_above[k], in.x0[k], in.x1[k]},
            {in.x_below_y_above[k], in.xy_above[k], in.x0_y_above[k], in.x1_y_above[k]},
            {in.cell[k - 1], in.cell[k + 1], in.z[k], in.z[k + 1]},
            {in.y_above[k - 1], in.y_above[k + 1], in.z_y_above[k], in.z_y_above[k + 1]}};
}

MPDATA_INLINE Face z_face(const FacesRow& in, std::int64_t k, std::int64_t k_above) {
    return {in.cell[k],
            in.cell[k + 1],
            in.z[k + 1],
            in.density[k] + in.density[k_above],
            {in.x_below[k], in.x_above[k], in.x0[k], in.x1[k]},
            {in.x_below[k + 1], in.x_above[k + 1], in.x0[k_above], in.x1[k_above]},
            {in.y_below[k], in.y_above[k], in.y0[k], in.y1[k]},
            {in.y_below[k + 1], in.y_above[k + 1], in.y0[k_above], in.y1[k_above]}};
}

struct Computed {
    double velocity = 0, flux = 0;
};

template <bool gauge>
MPDATA_INLINE Computed computed(const Face& face) {
    const double velocity = velocity_of<gauge>(face);
    return {velocity, gauge ? velocity : upstream(velocity, face.l, face.r)};
}

// Everything is computed before anything is stored. The faces of a cell share most of their input,
// and the compiler would load this input again after a store.
template <bool gauge, bool keep, Faces which>
MPDATA_INLINE void faces_of(const FacesRow& in, std::int64_t k, std::int64_t k_above) {
    Computed x, y, z;
    if constexpr (which != Faces::y) x = computed<gauge>(x_face(in, k));
    if constexpr (which != Faces::x) y = computed<gauge>(y_face(in, k));
    if constexpr (which == Faces::all) z = computed<gauge>(z_face(in, k, k_above));
    if constexpr (which != Faces::y) {
        in.x_flux[k] = x.flux;
        if constexpr (keep) in.x_velocity[k] = x.velocity;
    }
    if constexpr (which != Faces::x) {
        in.y_flux[k] = y.flux;
        if constexpr (keep) in.y_velocity[k] = y.velocity;
    }
    if constexpr (which == Faces::all) {
        in.z_flux[k + 1] = z.flux;
        if constexpr (keep) in.z_velocity[k + 1] = z.velocity;
    }
}

template <bool gauge, bool keep, Faces which>
MPDATA_INLINE void faces_along(const FacesRow& row, std::int64_t n) {
    const FacesRow in = row;
    // No row is both written and read.
#pragma omp simd
    for (std::int64_t k = 0; k < n - 1; ++k) faces_of<gauge, keep, which>(in, k, k + 1);
    faces_of<gauge, keep, which>(in, n - 1, 0);
}

template <bool gauge, bool keep>
MPDATA_INLINE void faces(const FacesRow& row, Faces which, std::int64_t n) {
    if (which == Faces::all)
        faces_along<gauge, keep, Faces::all>(row, n);
    else if (which == Faces::x)
        faces_along<gauge, keep, Faces::x>(row, n);
    else
        faces_along<gauge, keep, Faces::y>(row, n);
}

}  // namespace

MPDATA_VECTORISED void antidiffusive_faces_once(const FacesRow& row, Faces which, std::int64_t n) {
    faces<false, false>(row, which, n);
}
MPDATA_VECTORISED void antidiffusive_faces_kept(const FacesRow& row, Faces which, std::int64_t n) {
    faces<false, true>(row, which, n);
}
void antidiffusive_faces(const FacesRow& row, Faces which, std::int64_t n) {
    if (row.x_velocity == nullptr)
        antidiffusive_faces_once(row, which, n);
    else
        antidiffusive_faces_kept(row, which, n);
}
MPDATA_VECTORISED void gauge_faces(const FacesRow& row, Faces which, std::int64_t n) {
    faces<true, false>(row, which, n);
}

}  // namespace mpdata
