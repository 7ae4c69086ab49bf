// Input arrays without any pattern.
#pragma once

#include <random>

#include "cut_world.hpp"

namespace mpdata {

/// Fields from 0 to 1, some cells empty; densities from 0.5 to 1.5; the fluxes out of a cell are
/// less than what it holds.
inline WholeFields random_fields(const Grid& grid, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
    const auto [ni, nj, nk] = grid.cells;
    const auto gc = [&](const Place&) { return (unit() - 0.5) * 0.16; };
    WholeFields whole{filled(ni, nj, nk, [&](const Place&) { return unit() < 0.3 ? 0.0 : unit(); }),
                      filled(ni, nj, nk, [&](const Place&) { return 0.5 + unit(); }),
                      filled(ni + 1, nj, nk, gc), filled(ni, nj + 1, nk, gc),
                      filled(ni, nj, nk + 1, gc)};
    // Where the grid is periodic, its last faces are its first ones.
    if (grid.is_periodic(0)) std::copy_n(whole.x.begin(), nj * nk, whole.x.begin() + ni * nj * nk);
    if (grid.is_periodic(1))
        for (std::int64_t i = 0; i < ni; ++i) {
            const auto first = whole.y.begin() + i * (nj + 1) * nk;
            std::copy_n(first, nk, first + nj * nk);
        }
    if (grid.is_periodic(2))
        for (std::int64_t row = 0; row < ni * nj; ++row) {
            const auto first = whole.z.begin() + row * (nk + 1);
            first[nk] = first[0];
        }
    return whole;
}

}  // namespace mpdata
