#include "mpdata/sweep.hpp"

#include <algorithm>

#include "mpdata/row_kernels.hpp"

namespace mpdata {

namespace {

// How many planes of a ring the sweep looks back on, the newest one included.
constexpr std::int64_t cells_depth = 3;
constexpr std::int64_t x_flux_depth = 3;
constexpr std::int64_t flux_depth = 2;
constexpr std::int64_t x_velocity_depth = 4;
constexpr std::int64_t velocity_depth = 3;
constexpr std::int64_t limit_depth = 2;

// The limits of the last pass look at the field before the step.
std::int64_t old_depth(const Scheme& scheme) {
    return scheme.non_oscillatory ? std::max<std::int64_t>(cells_depth, 2L * scheme.passes)
                                  : cells_depth;
}

Across along_row(const double* l, const double* r, const double* l_gc, const double* r_gc) {
    return {l + 1, r + 1, l - 1, r - 1, l_gc + 1, r_gc + 1, l_gc, r_gc};
}

Across shifted(const Across& a, std::int64_t l, std::int64_t r) {
    return {a.l_after + l, a.r_after + r, a.l_before + l, a.r_before + r,
            a.l_upper + l, a.r_upper + r, a.l_lower + l,  a.r_lower + r};
}

double* shifted(double* row, std::int64_t by) {
    return row == nullptr ? nullptr : row + by;
}

void face_row(const Scheme& scheme, const FaceRow& row, std::int64_t n) {
    if (scheme.infinite_gauge)
        gauge_row(row, n);
    else
        antidiffusive_row(row, n);
}

}  // namespace

Sweep::Sweep(const Grid& grid, const Scheme& scheme, std::int64_t rows)
    : grid_(grid), scheme_(scheme) {
    const std::int64_t ring_rows = rows + 2 * halo_width(scheme) + 1;
    const std::int64_t n = grid.cells[2];
    const auto ring = [&](std::int64_t depth, std::int64_t width) {
        return PlaneRing(depth, ring_rows, width);
    };
    old_ = ring(old_depth(scheme), n);
    for (int pass = 2; pass <= scheme.passes; ++pass) {
        Pass& kept = passes_.emplace_back();
        kept.before = ring(cells_depth, n);
        kept.x_flux = ring(x_flux_depth, n);
        kept.y_flux = ring(flux_depth, n);
        kept.z_flux = ring(flux_depth, n + 1);
        if (scheme.non_oscillatory) {
            kept.inflow = ring(limit_depth, n);
            kept.outflow = ring(limit_depth, n);
        }
        if (pass == scheme.passes) continue;
        kept.x_velocity = ring(x_velocity_depth, n);
        kept.y_velocity = ring(velocity_depth, n);
        kept.z_velocity = ring(velocity_depth, n + 1);
    }
}

void Sweep::begin_rings(std::int64_t first_row) {
    old_.begin_at(first_row);
    for (Pass& pass : passes_)
        for (PlaneRing* ring :
             {&pass.before, &pass.x_flux, &pass.y_flux, &pass.z_flux, &pass.inflow, &pass.outflow,
              &pass.x_velocity, &pass.y_velocity, &pass.z_velocity})
            ring->begin_at(first_row);
}

void Sweep::run(const Slab& slab, const SlabFields& fields, const Box& box, double* result) {
    slab_ = slab;
    fields_ = fields;
    box_ = box;
    result_ = result;
    const std::int64_t halo = halo_width(scheme_);
    begin_rings(box.rows.begin - halo);
    for (std::int64_t i = box.planes.begin - halo; i < box.planes.end + halo; ++i) {
        if (planes(halo).holds(i)) load(i);
        if (planes(extent_after(scheme_, 1)).holds(i - 1)) donor(i - 1);
        std::int64_t newest = i - 1;
        for (int pass = 2; pass <= scheme_.passes; ++pass) {
            correct(pass, newest);
            newest -= reach_of_pass(scheme_, pass);
        }
    }
}

// The box's planes and `extent` on each side, as far as they are in the grid.
Span Sweep::planes(std::int64_t extent) const {
    Span span{box_.planes.begin - extent, box_.planes.end + extent};
    if (grid_.is_periodic(0)) return span;
    return {std::max(span.begin, -slab_.offset), std::min(span.end, grid_.cells[0] - slab_.offset)};
}

Span Sweep::rows(std::int64_t extent) const {
    Span span{box_.rows.begin - extent, box_.rows.end + extent};
    if (grid_.is_periodic(1)) return span;
    return {std::max<std::int64_t>(span.begin, 0), std::min(span.end, grid_.cells[1])};
}

std::int64_t Sweep::wrapped_row(std::int64_t j) const {
    if (!grid_.is_periodic(1)) return j;
    const std::int64_t n = grid_.cells[1];
    return (j % n + n) % n;
}

std::int64_t Sweep::nearest_plane(std::int64_t i) const {
    if (grid_.is_periodic(0)) return i;
    return std::clamp(i, -slab_.offset, grid_.cells[0] - slab_.offset - 1);
}

std::int64_t Sweep::nearest_row(std::int64_t j) const {
    if (grid_.is_periodic(1)) return j;
    return std::clamp<std::int64_t>(j, 0, grid_.cells[1] - 1);
}

bool Sweep::is_boundary_plane(std::int64_t face) const {
    const std::int64_t global = face + slab_.offset;
    return !grid_.is_periodic(0) && (global == 0 || global == grid_.cells[0]);
}

bool Sweep::is_boundary_row(std::int64_t face) const {
    return !grid_.is_periodic(1) && (face == 0 || face == grid_.cells[1]);
}

const double* Sweep::density(std::int64_t i, std::int64_t j) const {
    return fields_.density + i * cell_plane(grid_) + wrapped_row(j) * grid_.cells[2];
}

const double* Sweep::cell(PlaneRing& ring, std::int64_t i, std::int64_t j) const {
    return ring.row(nearest_plane(i), nearest_row(j));
}

const double* Sweep::x_gc(int pass, std::int64_t i, std::int64_t j) {
    if (pass > 2) return pass_of(pass - 1).x_velocity.row(i, j);
    return fields_.x + i * cell_plane(grid_) + wrapped_row(j) * grid_.cells[2];
}

const double* Sweep::y_gc(int pass, std::int64_t i, std::int64_t j) {
    if (pass > 2) return pass_of(pass - 1).y_velocity.row(i, j);
    return fields_.y + i * y_plane(grid_) + wrapped_row(j) * grid_.cells[2];
}

const double* Sweep::z_gc(int pass, std::int64_t i, std::int64_t j) {
    if (pass > 2) return pass_of(pass - 1).z_velocity.row(i, j);
    return fields_.z + i * z_plane(grid_) + wrapped_row(j) * (grid_.cells[2] + 1);
}

double* Sweep::target(int pass, std::int64_t i, std::int64_t j) {
    if (pass < scheme_.passes) return pass_of(pass + 1).before.row(i, j);
    return result_ + i * cell_plane(grid_) + j * grid_.cells[2];
}

// Sets the values before and behind a row of cells.
void Sweep::close_row(double* row) const {
    const std::int64_t last = grid_.cells[2] - 1;
    row[-1] = grid_.is_periodic(2) ? row[last] : row[0];
    row[last + 1] = grid_.is_periodic(2) ? row[0] : row[last];
}

void Sweep::load(std::int64_t i) {
    const Span span = rows(halo_width(scheme_));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* row = old_.row(i, j);
        std::copy_n(fields_.psi + i * cell_plane(grid_) + wrapped_row(j) * grid_.cells[2],
                    grid_.cells[2], row);
        close_row(row);
    }
}

void Sweep::donor(std::int64_t i) {
    const Span span = rows(extent_after(scheme_, 1));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* row = target(1, i, j);
        donor_row({row, cell(old_, i, j), cell(old_, i - 1, j), cell(old_, i + 1, j),
                   cell(old_, i, j - 1), cell(old_, i, j + 1), x_gc(2, i, j), x_gc(2, i + 1, j),
                   y_gc(2, i, j), y_gc(2, i, j + 1), z_gc(2, i, j), density(i, j)},
                  grid_.cells[2]);
        if (scheme_.passes > 1) close_row(row);
    }
}

// The planes that a pass can compute once plane `newest` of the field before it is there.
void Sweep::correct(int pass, std::int64_t newest) {
    const std::int64_t extent = extent_after(scheme_, pass);
    const Span own = planes(extent);
    const Span corrected = planes(extent + reach_of_pass(scheme_, pass) - 1);
    const std::int64_t before = newest - 1;
    if (Span{corrected.begin, corrected.end + 1}.holds(newest)) x_faces(pass, newest);
    if (corrected.holds(before)) {
        y_faces(pass, before);
        z_faces(pass, before);
    }
    if (!scheme_.non_oscillatory) {
        if (own.holds(before)) update(pass, before);
        return;
    }
    if (corrected.holds(before)) limits(pass, before);
    if (Span{own.begin, own.end + 1}.holds(before)) scale_x(pass, before);
    if (own.holds(before)) {
        scale_y(pass, before);
        scale_z(pass, before);
    }
    if (own.holds(before - 1)) update(pass, before - 1);
}

// Faces between plane i - 1 and plane i.
void Sweep::x_faces(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    PlaneRing& psi = kept.before;
    const Span span = rows(extent_after(scheme_, pass) + reach_of_pass(scheme_, pass) - 1);
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* flux = kept.x_flux.row(i, j);
        double* velocity = kept.x_velocity.empty() ? nullptr : kept.x_velocity.row(i, j);
        if (is_boundary_plane(i)) {
            std::fill_n(flux, grid_.cells[2], 0.0);
            if (velocity != nullptr) std::fill_n(velocity, grid_.cells[2], 0.0);
            continue;
        }
        const double* l = cell(psi, i - 1, j);
        const double* r = cell(psi, i, j);
        const Across y{cell(psi, i - 1, j + 1), cell(psi, i, j + 1),      cell(psi, i - 1, j - 1),
                       cell(psi, i, j - 1),     y_gc(pass, i - 1, j + 1), y_gc(pass, i, j + 1),
                       y_gc(pass, i - 1, j),    y_gc(pass, i, j)};
        const Across z = along_row(l, r, z_gc(pass, i - 1, j), z_gc(pass, i, j));
        face_row(scheme_,
                 {flux, velocity, l, r, x_gc(pass, i, j), density(i - 1, j), density(i, j), y, z},
                 grid_.cells[2]);
    }
}

// Faces between row j - 1 and row j.
void Sweep::y_faces(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    PlaneRing& psi = kept.before;
    const Span span = rows(extent_after(scheme_, pass) + reach_of_pass(scheme_, pass) - 1);
    for (std::int64_t j = span.begin; j <= span.end; ++j) {
        double* flux = kept.y_flux.row(i, j);
        double* velocity = kept.y_velocity.empty() ? nullptr : kept.y_velocity.row(i, j);
        if (is_boundary_row(j)) {
            std::fill_n(flux, grid_.cells[2], 0.0);
            if (velocity != nullptr) std::fill_n(velocity, grid_.cells[2], 0.0);
            continue;
        }
        const double* l = cell(psi, i, j - 1);
        const double* r = cell(psi, i, j);
        const Across x{cell(psi, i + 1, j - 1), cell(psi, i + 1, j),      cell(psi, i - 1, j - 1),
                       cell(psi, i - 1, j),     x_gc(pass, i + 1, j - 1), x_gc(pass, i + 1, j),
                       x_gc(pass, i, j - 1),    x_gc(pass, i, j)};
        const Across z = along_row(l, r, z_gc(pass, i, j - 1), z_gc(pass, i, j));
        face_row(scheme_,
                 {flux, velocity, l, r, y_gc(pass, i, j), density(i, j - 1), density(i, j), x, z},
                 grid_.cells[2]);
    }
}

// Faces between value k - 1 and value k of a row.
void Sweep::z_faces(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    PlaneRing& psi = kept.before;
    const std::int64_t last = grid_.cells[2] - 1;
    const Span span = rows(extent_after(scheme_, pass) + reach_of_pass(scheme_, pass) - 1);
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* flux = kept.z_flux.row(i, j);
        double* velocity = kept.z_velocity.empty() ? nullptr : kept.z_velocity.row(i, j);
        const double* psi_row = cell(psi, i, j);
        const double* gc = z_gc(pass, i, j);
        const double* row_density = density(i, j);
        const auto same = [](const double* after, const double* before, const double* upper,
                             const double* lower) {
            return Across{after, after, before, before, upper, upper, lower, lower};
        };
        const Across x =
            same(cell(psi, i + 1, j), cell(psi, i - 1, j), x_gc(pass, i + 1, j), x_gc(pass, i, j));
        const Across y =
            same(cell(psi, i, j + 1), cell(psi, i, j - 1), y_gc(pass, i, j + 1), y_gc(pass, i, j));
        face_row(scheme_,
                 {flux + 1, shifted(velocity, 1), psi_row, psi_row + 1, gc + 1, row_density,
                  row_density + 1, shifted(x, 0, 1), shifted(y, 0, 1)},
                 last);
        if (grid_.is_periodic(2)) {
            face_row(scheme_,
                     {flux, velocity, psi_row + last, psi_row, gc, row_density + last, row_density,
                      shifted(x, last, 0), shifted(y, last, 0)},
                     1);
        } else {
            flux[0] = 0.0;
            if (velocity != nullptr) velocity[0] = 0.0;
        }
        flux[last + 1] = flux[0];
        if (velocity != nullptr) velocity[last + 1] = velocity[0];
    }
}

void Sweep::limits(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    PlaneRing& now = kept.before;
    const Span span = rows(extent_after(scheme_, pass) + 1);
    for (std::int64_t j = span.begin; j < span.end; ++j)
        limit_row(
            {kept.inflow.row(i, j), kept.outflow.row(i, j), cell(old_, i, j), cell(old_, i - 1, j),
             cell(old_, i + 1, j), cell(old_, i, j - 1), cell(old_, i, j + 1), cell(now, i, j),
             cell(now, i - 1, j), cell(now, i + 1, j), cell(now, i, j - 1), cell(now, i, j + 1),
             kept.x_flux.row(i, j), kept.x_flux.row(i + 1, j), kept.y_flux.row(i, j),
             kept.y_flux.row(i, j + 1), kept.z_flux.row(i, j), density(i, j)},
            grid_.cells[2]);
}

void Sweep::scale_x(int pass, std::int64_t i) {
    if (is_boundary_plane(i)) return;
    Pass& kept = pass_of(pass);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j < span.end; ++j)
        scale_row(
            {kept.x_flux.row(i, j), kept.x_velocity.empty() ? nullptr : kept.x_velocity.row(i, j),
             kept.inflow.row(i - 1, j), kept.outflow.row(i - 1, j), kept.inflow.row(i, j),
             kept.outflow.row(i, j)},
            grid_.cells[2]);
}

void Sweep::scale_y(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j <= span.end; ++j) {
        if (is_boundary_row(j)) continue;
        scale_row(
            {kept.y_flux.row(i, j), kept.y_velocity.empty() ? nullptr : kept.y_velocity.row(i, j),
             kept.inflow.row(i, j - 1), kept.outflow.row(i, j - 1), kept.inflow.row(i, j),
             kept.outflow.row(i, j)},
            grid_.cells[2]);
    }
}

void Sweep::scale_z(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const std::int64_t last = grid_.cells[2] - 1;
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* flux = kept.z_flux.row(i, j);
        double* velocity = kept.z_velocity.empty() ? nullptr : kept.z_velocity.row(i, j);
        const double* inflow = kept.inflow.row(i, j);
        const double* outflow = kept.outflow.row(i, j);
        scale_row({flux + 1, shifted(velocity, 1), inflow, outflow, inflow + 1, outflow + 1}, last);
        if (!grid_.is_periodic(2)) continue;
        scale_row({flux, velocity, inflow + last, outflow + last, inflow, outflow}, 1);
        flux[last + 1] = flux[0];
        if (velocity != nullptr) velocity[last + 1] = velocity[0];
    }
}

void Sweep::update(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* row = target(pass, i, j);
        update_row({row, cell(kept.before, i, j), kept.x_flux.row(i, j), kept.x_flux.row(i + 1, j),
                    kept.y_flux.row(i, j), kept.y_flux.row(i, j + 1), kept.z_flux.row(i, j),
                    density(i, j)},
                   grid_.cells[2]);
        if (pass < scheme_.passes) close_row(row);
    }
}

}  // namespace mpdata
