// A whole grid, cut into slabs that exchange their ghost planes by copies: what ranks do, in one
// process.
#pragma once

#include <algorithm>
#include <vector>

#include "mpdata/advection.hpp"
#include "mpdata/problem.hpp"

namespace mpdata {

/// The five input arrays of the whole grid, without ghosts.
struct WholeFields {
    std::vector<double> psi, density, x, y, z;
};

/// Calls `value(place)` for each place of an array with these extents, the last one fastest.
template <class Value>
std::vector<double> filled(std::int64_t ni, std::int64_t nj, std::int64_t nk, Value value) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(ni * nj * nk));
    for (std::int64_t i = 0; i < ni; ++i)
        for (std::int64_t j = 0; j < nj; ++j)
            for (std::int64_t k = 0; k < nk; ++k) values.push_back(value(Place{i, j, k}));
    return values;
}

inline WholeFields fields_of(const Problem& problem, const Grid& grid) {
    const auto [ni, nj, nk] = grid.cells;
    const auto gc = [&](std::size_t d) {
        return [&problem, d](const Place& at) { return problem.courant(d, at); };
    };
    return {filled(ni, nj, nk, [&](const Place& at) { return problem.psi(at); }),
            filled(ni, nj, nk, [&](const Place& at) { return problem.density(at); }),
            filled(ni + 1, nj, nk, gc(0)), filled(ni, nj + 1, nk, gc(1)),
            filled(ni, nj, nk + 1, gc(2))};
}

class CutWorld {
  public:
    CutWorld(const Grid& grid, const Scheme& scheme, const WholeFields& whole, int slabs,
             int threads = 1)
        : grid_(grid), halo_(halo_width(scheme)), advection_(grid, scheme, threads) {
        for (int s = 0; s < slabs; ++s) {
            const std::int64_t begin = s * grid.cells[0] / slabs;
            Part part{{begin, (s + 1) * grid.cells[0] / slabs - begin}, {}, {}, {}, {}, {}, {}};
            part.psi = cut(whole.psi, part.slab, cell_plane(grid), 0);
            part.density = cut(whole.density, part.slab, cell_plane(grid), 0);
            part.x = cut(whole.x, part.slab, cell_plane(grid), 1);
            part.y = cut(whole.y, part.slab, y_plane(grid), 0);
            part.z = cut(whole.z, part.slab, z_plane(grid), 0);
            part.next = part.psi;
            parts_.push_back(std::move(part));
        }
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            const auto whole = psi();
            for (Part& part : parts_) {
                part.psi = cut(whole, part.slab, cell_plane(grid_), 0);
                advection_.step(
                    part.slab,
                    {own(part.psi, cell_plane(grid_)), own(part.density, cell_plane(grid_)),
                     own(part.x, cell_plane(grid_)), own(part.y, y_plane(grid_)),
                     own(part.z, z_plane(grid_))},
                    own(part.next, cell_plane(grid_)));
                std::swap(part.psi, part.next);
            }
        }
    }

    [[nodiscard]] std::vector<double> psi() const {
        std::vector<double> whole;
        for (const Part& part : parts_) {
            const auto first = part.psi.begin() + halo_ * cell_plane(grid_);
            whole.insert(whole.end(), first, first + part.slab.count * cell_plane(grid_));
        }
        return whole;
    }

  private:
    struct Part {
        Slab slab;
        std::vector<double> psi, density, x, y, z, next;
    };

    double* own(std::vector<double>& values, std::int64_t plane) const {
        return values.data() + halo_ * plane;
    }

    // A slab's planes with ghosts, and `more` planes behind; zero where there is none.
    std::vector<double> cut(const std::vector<double>& whole, const Slab& slab, std::int64_t plane,
                            std::int64_t more) const {
        const std::int64_t n = grid_.cells[0];
        std::vector<double> values(
            static_cast<std::size_t>((slab.count + 2 * halo_ + more) * plane));
        for (std::int64_t i = -halo_; i < slab.count + halo_ + more; ++i) {
            std::int64_t from = slab.offset + i;
            if (grid_.is_periodic(0)) from = (from % n + n) % n;
            if (from < 0 || from >= n + more) continue;
            std::copy_n(whole.begin() + from * plane, plane, values.begin() + (halo_ + i) * plane);
        }
        return values;
    }

    Grid grid_;
    std::int64_t halo_;
    Advection advection_;
    std::vector<Part> parts_;
};

/// The field after some steps, the grid in one slab.
inline std::vector<double> after(int steps, const Grid& grid, const Scheme& scheme,
                                 const WholeFields& whole) {
    CutWorld world(grid, scheme, whole, 1);
    world.run(steps);
    return world.psi();
}

}  // namespace mpdata
