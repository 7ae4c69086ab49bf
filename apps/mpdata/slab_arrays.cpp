#include "mpdata/slab_arrays.hpp"

#include <algorithm>

namespace mpdata {

namespace {

template <class Value>
void fill_plane(double* plane, std::int64_t i, std::int64_t rows, std::int64_t width, Value value) {
    for (std::int64_t j = 0; j < rows; ++j)
        for (std::int64_t k = 0; k < width; ++k) plane[j * width + k] = value(Place{i, j, k});
}

}  // namespace

void initialise(const SlabArrays& arrays, const Problem& problem, const Grid& grid) {
    const std::int64_t nj = grid.cells[1];
    const std::int64_t nk = grid.cells[2];
    const auto gc = [&](std::size_t d) {
        return [&problem, d](const Place& at) { return problem.courant(d, at); };
    };
#pragma omp parallel for
    for (std::int64_t i = 0; i < arrays.slab.count; ++i) {
        const std::int64_t plane = arrays.slab.offset + i;
        fill_plane(arrays.psi + i * cell_plane(grid), plane, nj, nk,
                   [&](const Place& at) { return problem.psi(at); });
        fill_plane(arrays.density + i * cell_plane(grid), plane, nj, nk,
                   [&](const Place& at) { return problem.density(at); });
        fill_plane(arrays.x + i * cell_plane(grid), plane, nj, nk, gc(0));
        fill_plane(arrays.y + i * y_plane(grid), plane, nj + 1, nk, gc(1));
        fill_plane(arrays.z + i * z_plane(grid), plane, nj, nk + 1, gc(2));
    }
}

std::vector<double> last_faces(const Problem& problem, const Grid& grid) {
    std::vector<double> faces(static_cast<std::size_t>(cell_plane(grid)));
    fill_plane(faces.data(), grid.cells[0], grid.cells[1], grid.cells[2],
               [&](const Place& at) { return problem.courant(0, at); });
    return faces;
}

void set_last_faces(const SlabArrays& arrays, const Grid& grid, std::int64_t halo,
                    const std::vector<double>& faces) {
    const std::int64_t behind = grid.cells[0] - arrays.slab.offset;
    if (grid.is_periodic(0) || arrays.slab.count == 0 || behind > arrays.slab.count + halo) return;
    std::copy(faces.begin(), faces.end(), arrays.x + behind * cell_plane(grid));
}

}  // namespace mpdata
