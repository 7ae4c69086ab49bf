// The grid of a run, and its boundaries.
#pragma once

#include <array>
#include <cstdint>

namespace mpdata {

enum class Boundary {
    open,      ///< outside, the field equals the outermost cell; boundary faces are not corrected
    periodic,  ///< the first cell follows the last
};

/// `cells`: the number of cells along each dimension. The last dimension is contiguous in memory.
struct Grid {
    std::array<std::int64_t, 3> cells{};
    std::array<Boundary, 3> boundary{};

    [[nodiscard]] bool is_periodic(std::size_t dimension) const {
        return boundary[dimension] == Boundary::periodic;
    }
};

/// The number of values in a plane of cells, and in the plane of its faces along the second (y) or
/// the third dimension (z). There is one face more than cells along this dimension.
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
