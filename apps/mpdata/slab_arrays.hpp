// The five input arrays of a slab, wherever they lie.
#pragma once

#include <vector>

#include "mpdata/problem.hpp"
#include "mpdata/slab.hpp"

namespace mpdata {

/// Pointers to the slab's first own planes; see SlabFields.
struct SlabArrays {
    Slab slab;
    double* psi = nullptr;
    double* density = nullptr;
    double* x = nullptr;
    double* y = nullptr;
    double* z = nullptr;

    [[nodiscard]] SlabFields with(const double* field) const { return {field, density, x, y, z}; }
};

/// Sets all values of the slab's own planes.
void initialise(const SlabArrays& arrays, const Problem& problem, const Grid& grid);

/// The faces behind the last plane of cells: `x` has a plane more than there are planes of cells.
std::vector<double> last_faces(const Problem& problem, const Grid& grid);

/// Writes `faces` behind the grid's last plane of cells, if a slab with `halo` ghost planes reads
/// that place.
void set_last_faces(const SlabArrays& arrays, const Grid& grid, std::int64_t halo,
                    const std::vector<double>& faces);

}  // namespace mpdata
