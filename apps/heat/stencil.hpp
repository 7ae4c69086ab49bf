// The numbers of the heat equation, without MPI. A field is a block of whole rows of a grid of
// `rows` x `cols` points. The outermost points of the grid keep their initial temperature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heat {

/// A block of rows [offset, offset + count) of the grid.
struct Block {
    std::span<double> values;  ///< count * cols, row by row
    std::int64_t offset = 0;
    std::int64_t count = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;

    [[nodiscard]] double* row(std::int64_t i) { return values.data() + i * cols; }
};

/// Sets the field before the first step: a warm left edge and hot discs that `seed` chooses. The
/// value of a point depends only on `seed` and on the place of the point in the grid.
void initialise(Block block, std::uint64_t seed);

/// One Jacobi step in place. `above` and `below` are the rows before and after the block as they
/// were before the step; they are not read at the edges of the grid. Each point's new value is
/// computed by the same operations in the same order wherever its row lies, so the field does not
/// depend on how the rows are distributed.
class Stencil {
  public:
    void step(Block block, const double* above, const double* below);

  private:
    std::vector<double> previous_;  ///< the row above, as it was
    std::vector<double> current_;   ///< this row, as it was
};

}  // namespace heat
