#include "mpdata/sweep.hpp"

#include <algorithm>

#include "mpdata/face_kernels.hpp"
#include "mpdata/row_kernels.hpp"

namespace mpdata {

namespace {

// How many planes of each ring the sweep uses, with the newest one.
constexpr std::int64_t cells_depth = 3;
constexpr std::int64_t x_flux_depth = 3;
constexpr std::int64_t flux_depth = 2;
constexpr std::int64_t x_velocity_depth = 4;
constexpr std::int64_t velocity_depth = 3;

double* row_of(PlaneRing& ring, std::int64_t i, std::int64_t j) {
    return ring.empty() ? nullptr : ring.plane(i).row(j);
}

}  // namespace

Sweep::Sweep(const Grid& grid, const Scheme& scheme, std::int64_t rows)
    : grid_(grid), scheme_(scheme) {
    const std::int64_t ring_rows = rows + 2 * halo_width(scheme) + 1;
    const std::int64_t n = grid.cells[2];
    const auto ring = [&](std::int64_t depth, std::int64_t width) {
        return PlaneRing(depth, ring_rows, width);
    };
    for (int pass = 2; pass <= scheme.passes; ++pass) {
        Pass& kept = passes_.emplace_back();
        kept.before = ring(cells_depth, n);
        kept.x_flux = ring(x_flux_depth, n);
        kept.y_flux = ring(flux_depth, n);
        kept.z_flux = ring(flux_depth, n + 1);
        if (scheme.non_oscillatory)
            for (PlaneRing* one : {&kept.most, &kept.least, &kept.inflow, &kept.outflow})
                *one = ring(cells_depth, n);
        if (pass == scheme.passes) continue;
        kept.x_velocity = ring(x_velocity_depth, n);
        kept.y_velocity = ring(velocity_depth, n);
        kept.z_velocity = ring(velocity_depth, n + 1);
    }
}

void Sweep::begin_rings(std::int64_t first_row) {
    for (Pass& pass : passes_)
        for (PlaneRing* ring :
             {&pass.before, &pass.most, &pass.least, &pass.x_flux, &pass.y_flux, &pass.z_flux,
              &pass.inflow, &pass.outflow, &pass.x_velocity, &pass.y_velocity, &pass.z_velocity})
            ring->begin_at(first_row);
}

void Sweep::run(const Slab& slab, const SlabFields& fields, const Box& box, double* result) {
    slab_ = slab;
    fields_ = fields;
    box_ = box;
    result_ = result;
    const std::int64_t halo = halo_width(scheme_);
    begin_rings(box.rows.begin - halo);
    for (std::int64_t i = box.planes.begin - halo + 1; i < box.planes.end + halo; ++i) {
        if (planes(extent_after(scheme_, 1)).holds(i)) donor(i);
        std::int64_t newest = i;
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

Sweep::Rows Sweep::input(const double* array, std::int64_t plane, std::int64_t row,
                         std::int64_t i) const {
    return {{array + i * plane, row, 0}, grid_.is_periodic(1) ? grid_.cells[1] : 0};
}

Sweep::Rows Sweep::psi(std::int64_t i) const {
    return input(fields_.psi, cell_plane(grid_), grid_.cells[2], nearest_plane(i));
}

Sweep::Rows Sweep::density(std::int64_t i) const {
    return input(fields_.density, cell_plane(grid_), grid_.cells[2], nearest_plane(i));
}

Sweep::Rows Sweep::kept(PlaneRing& ring, std::int64_t i) {
    const Plane<double> plane = ring.plane(i);
    return {{plane.first, plane.stride, plane.first_row}, 0};
}

Sweep::Rows Sweep::cells(PlaneRing& ring, std::int64_t i) const {
    return kept(ring, nearest_plane(i));
}

Sweep::Rows Sweep::x_gc(int pass, std::int64_t i) {
    if (pass > 2) return kept(pass_of(pass - 1).x_velocity, i);
    return input(fields_.x, cell_plane(grid_), grid_.cells[2], i);
}

Sweep::Rows Sweep::y_gc(int pass, std::int64_t i) {
    if (pass > 2) return kept(pass_of(pass - 1).y_velocity, nearest_plane(i));
    return input(fields_.y, y_plane(grid_), grid_.cells[2], nearest_plane(i));
}

Sweep::Rows Sweep::z_gc(int pass, std::int64_t i) {
    if (pass > 2) return kept(pass_of(pass - 1).z_velocity, nearest_plane(i));
    return input(fields_.z, z_plane(grid_), grid_.cells[2] + 1, nearest_plane(i));
}

Plane<double> Sweep::target(int pass, std::int64_t i) {
    if (pass < scheme_.passes) return pass_of(pass + 1).before.plane(i);
    return {result_ + i * cell_plane(grid_), grid_.cells[2], 0};
}

// Sets the values before and behind a row of cells.
void Sweep::close_row(double* row) const {
    const std::int64_t last = grid_.cells[2] - 1;
    row[-1] = grid_.is_periodic(2) ? row[last] : row[0];
    row[last + 1] = grid_.is_periodic(2) ? row[0] : row[last];
}

// Prepares a row that `pass` has computed for the next pass.
void Sweep::finish_row(int pass, std::int64_t i, std::int64_t j, double* row) {
    if (pass == scheme_.passes) return;
    close_row(row);
    if (!scheme_.non_oscillatory) return;
    Pass& next = pass_of(pass + 1);
    double* most = next.most.plane(i).row(j);
    double* least = next.least.plane(i).row(j);
    extremes_row({most, least, psi(i).row(j), row}, grid_.cells[2]);
    close_row(most);
    close_row(least);
}

void Sweep::donor(std::int64_t i) {
    const Plane<double> result = target(1, i);
    const Rows below = psi(i - 1), here = psi(i), above = psi(i + 1);
    const Rows x0 = x_gc(2, i), x1 = x_gc(2, i + 1), y = y_gc(2, i), z = z_gc(2, i);
    const Rows dense = density(i);
    const Span span = rows(extent_after(scheme_, 1));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* row = result.row(j);
        donor_row({row, here.row(j), below.row(j), above.row(j), here.row(nearest_row(j - 1)),
                   here.row(nearest_row(j + 1)), x0.row(j), x1.row(j), y.row(j), y.row(j + 1),
                   z.row(j), dense.row(j), grid_.is_periodic(2)},
                  grid_.cells[2]);
        finish_row(1, i, j, row);
    }
}

// Computes what `pass` can compute when the pass before has computed plane `newest`.
void Sweep::correct(int pass, std::int64_t newest) {
    const std::int64_t extent = extent_after(scheme_, pass);
    const Span own = planes(extent);
    const Span corrected = planes(extent + reach_of_pass(scheme_, pass) - 1);
    const std::int64_t i = newest - 1;
    if (newest == corrected.begin) faces(pass, i, Faces::x);
    if (corrected.holds(i)) faces(pass, i, Faces::all);
    if (!scheme_.non_oscillatory) {
        if (own.holds(i)) update(pass, i);
        return;
    }
    if (corrected.holds(i)) limits(pass, i);
    if (pass < scheme_.passes) {
        if (Span{own.begin, own.end + 1}.holds(i)) scale_x(pass, i);
        if (own.holds(i)) scale_yz(pass, i);
    }
    if (own.holds(i - 1)) update(pass, i - 1);
}

// Computes faces of the cells of a plane. `which` is `all`: the upper faces along x, y and z, and
// for the first row also the lower faces along y. `x`: only the upper faces along x.
void Sweep::faces(int pass, std::int64_t i, Faces which) {
    Pass& kept = pass_of(pass);
    const Rows below = cells(kept.before, i - 1), here = cells(kept.before, i),
               above = cells(kept.before, i + 1);
    const Rows x0 = x_gc(pass, i), x1 = x_gc(pass, i + 1);
    const Rows y0 = y_gc(pass, i), y1 = y_gc(pass, i + 1);
    const Rows z0 = z_gc(pass, i), z1 = z_gc(pass, i + 1);
    const Rows dense = density(i), dense_above = density(i + 1);
    const auto run = [&](std::int64_t j, Faces faces) {
        const std::int64_t down = nearest_row(j - 1), up = nearest_row(j + 1), at = nearest_row(j);
        const FacesRow row{row_of(kept.x_flux, i + 1, j),
                           row_of(kept.y_flux, i, j + 1),
                           row_of(kept.z_flux, i, j),
                           row_of(kept.x_velocity, i + 1, j),
                           row_of(kept.y_velocity, i, j + 1),
                           row_of(kept.z_velocity, i, j),
                           here.row(at),
                           below.row(at),
                           above.row(at),
                           here.row(down),
                           here.row(up),
                           below.row(up),
                           above.row(down),
                           above.row(up),
                           x0.row(at),
                           x1.row(at),
                           x0.row(up),
                           x1.row(up),
                           y0.row(at),
                           y0.row(at + 1),
                           y1.row(at),
                           y1.row(at + 1),
                           z0.row(at),
                           z1.row(at),
                           z0.row(up),
                           dense.row(at),
                           dense_above.row(at),
                           dense.row(up)};
        if (scheme_.infinite_gauge)
            gauge_faces(row, faces, grid_.cells[2]);
        else
            antidiffusive_faces(row, faces, grid_.cells[2]);
        // Nothing is corrected at an open boundary.
        if (is_boundary_plane(i + 1)) clear(row.x_flux, row.x_velocity);
        if (is_boundary_row(j + 1)) clear(row.y_flux, row.y_velocity);
        if (faces == Faces::all) close_z(row.z_flux, row.z_velocity);
    };
    const Span span = rows(extent_after(scheme_, pass) + reach_of_pass(scheme_, pass) - 1);
    if (which == Faces::all) run(span.begin - 1, Faces::y);
    for (std::int64_t j = span.begin; j < span.end; ++j) run(j, which);
}

void Sweep::clear(double* flux, double* velocity) const {
    std::fill_n(flux, grid_.cells[2], 0.0);
    if (velocity != nullptr) std::fill_n(velocity, grid_.cells[2], 0.0);
}

// Sets the outermost faces of a row along z.
void Sweep::close_z(double* flux, double* velocity) const {
    const std::int64_t n = grid_.cells[2];
    for (double* row : {flux, velocity}) {
        if (row == nullptr) continue;
        if (!grid_.is_periodic(2)) row[n] = 0.0;
        row[0] = row[n];
    }
}

void Sweep::limits(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const Plane<double> inflow = kept.inflow.plane(i), outflow = kept.outflow.plane(i);
    const Rows here = cells(kept.before, i);
    const Rows most = cells(kept.most, i), most_below = cells(kept.most, i - 1),
               most_above = cells(kept.most, i + 1);
    const Rows least = cells(kept.least, i), least_below = cells(kept.least, i - 1),
               least_above = cells(kept.least, i + 1);
    const Plane<double> x0 = kept.x_flux.plane(i), x1 = kept.x_flux.plane(i + 1);
    const Plane<double> y = kept.y_flux.plane(i), z = kept.z_flux.plane(i);
    const Rows dense = density(i);
    const Span span = rows(extent_after(scheme_, pass) + 1);
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        const std::int64_t down = nearest_row(j - 1), up = nearest_row(j + 1);
        limit_row({inflow.row(j), outflow.row(j), here.row(j), most.row(j), most_below.row(j),
                   most_above.row(j), most.row(down), most.row(up), least.row(j),
                   least_below.row(j), least_above.row(j), least.row(down), least.row(up),
                   x0.row(j), x1.row(j), y.row(j), y.row(j + 1), z.row(j), dense.row(j)},
                  grid_.cells[2]);
        close_row(inflow.row(j));
        close_row(outflow.row(j));
    }
}

void Sweep::scale_x(int pass, std::int64_t i) {
    if (is_boundary_plane(i)) return;
    Pass& kept = pass_of(pass);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j < span.end; ++j)
        scale_row({kept.x_velocity.plane(i).row(j), kept.x_flux.plane(i).row(j),
                   allowed(kept, i - 1, j), allowed(kept, i, j)},
                  grid_.cells[2]);
}

void Sweep::scale_yz(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j <= span.end; ++j) {
        if (!is_boundary_row(j))
            scale_row({kept.y_velocity.plane(i).row(j), kept.y_flux.plane(i).row(j),
                       allowed(kept, i, j - 1), allowed(kept, i, j)},
                      grid_.cells[2]);
        if (j == span.end) break;
        // There is one face more than cells. The outermost faces use the values of close_row().
        const Allowed r = allowed(kept, i, j);
        scale_row({kept.z_velocity.plane(i).row(j),
                   kept.z_flux.plane(i).row(j),
                   {r.inflow - 1, r.outflow - 1},
                   r},
                  grid_.cells[2] + 1);
    }
}

Allowed Sweep::allowed(Pass& kept, std::int64_t i, std::int64_t j) {
    return {kept.inflow.plane(i).row(j), kept.outflow.plane(i).row(j)};
}

void Sweep::update(int pass, std::int64_t i) {
    Pass& kept = pass_of(pass);
    const Plane<double> result = target(pass, i);
    const Rows here = cells(kept.before, i), dense = density(i);
    const Plane<double> x0 = kept.x_flux.plane(i), x1 = kept.x_flux.plane(i + 1);
    const Plane<double> y = kept.y_flux.plane(i), z = kept.z_flux.plane(i);
    const std::int64_t below = nearest_plane(i - 1), above = nearest_plane(i + 1);
    const Span span = rows(extent_after(scheme_, pass));
    for (std::int64_t j = span.begin; j < span.end; ++j) {
        double* row = result.row(j);
        const UpdateRow update{row,      here.row(j),  x0.row(j), x1.row(j),
                               y.row(j), y.row(j + 1), z.row(j),  dense.row(j)};
        if (scheme_.non_oscillatory)
            limited_update_row(
                update,
                {allowed(kept, i, j), allowed(kept, below, j), allowed(kept, above, j),
                 allowed(kept, i, nearest_row(j - 1)), allowed(kept, i, nearest_row(j + 1))},
                grid_.cells[2]);
        else
            update_row(update, grid_.cells[2]);
        finish_row(pass, i, j, row);
    }
}

}  // namespace mpdata
