// The grid of a run, and how it ends on each side.
#pragma once

#include <array>
#include <cstdint>

namespace mpdata {

enum class Boundary {
    open,      ///< beyond the boundary a field is as in the outermost cell; no correction there
    periodic,  ///< the first cell follows the last
};

/// `cells` cells along each dimension; the last one is contiguous in memory.
struct Grid {
    std::array<std::int64_t, 3> cells{};
    std::array<Boundary, 3> boundary{};

    [[nodiscard]] bool is_periodic(std::size_t dimension) const {
        return boundary[dimension] == Boundary::periodic;
    }
};

/// Values in a plane of cells, and in the planes of faces that a plane of cells has along the
/// second and the third dimension, which have one face more than cells.
inline std::int64_t cell_plane(const Grid& grid) {
    return grid.cells[1] * grid.cells[2];
}
inline std::int64_t y_plane(const Grid& grid) {
    return (grid.cells[1] + 1) * grid.cells[2];
}
inline std::int64_t z_plane(const Grid& grid) {
    return grid.cells[1] * (grid.cells[2] + 1);
}

}  // namespace mpdata
