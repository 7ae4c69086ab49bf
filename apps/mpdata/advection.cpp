#include "mpdata/advection.hpp"

#include <algorithm>
#include <atomic>

namespace mpdata {

namespace {

// A box is allowed to use a little more memory than a second-level cache: narrower boxes would
// compute more rows twice, which costs more than reads from the third level. A box uses about 36
// planes: 22 of the sweep's own and 14 of the input. cut() rounds, so a box has up to twice as many
// rows as rows_of_box() returns.
constexpr std::int64_t cache_bytes = std::int64_t{1024} * 1024;
constexpr std::int64_t planes_in_use = 36;
// A smaller box would compute as many rows and planes beyond its borders as within.
constexpr std::int64_t fewest_rows = 12;
constexpr std::int64_t fewest_planes = 12;

std::int64_t pieces(std::int64_t whole, std::int64_t piece) {
    return std::max<std::int64_t>(1, whole / std::max<std::int64_t>(1, piece));
}

std::int64_t rows_of_box(const Grid& grid) {
    const auto row_bytes = static_cast<std::int64_t>(sizeof(double)) * grid.cells[2];
    return std::max(fewest_rows, cache_bytes / (planes_in_use * row_bytes));
}

}  // namespace

std::vector<Box> cut(const Grid& grid, std::int64_t planes, int threads) {
    const std::int64_t strips = pieces(grid.cells[1], rows_of_box(grid));
    const std::int64_t wanted = (threads + strips - 1) / strips;
    const std::int64_t layers = std::min(wanted, pieces(planes, fewest_planes));
    std::vector<Box> boxes;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        for (std::int64_t strip = 0; strip < strips; ++strip)
            boxes.push_back(
                {{layer * planes / layers, (layer + 1) * planes / layers},
                 {strip * grid.cells[1] / strips, (strip + 1) * grid.cells[1] / strips}});
    return boxes;
}

Advection::Advection(const Grid& grid, const Scheme& scheme, int threads)
    : grid_(grid), scheme_(scheme) {
    check(scheme);
    const std::int64_t rows = std::min(grid.cells[1], 2 * rows_of_box(grid));
    for (int thread = 0; thread < threads; ++thread) sweeps_.emplace_back(grid, scheme, rows);
}

void Advection::step(const Slab& slab, const SlabFields& fields, double* result) {
    const auto threads = static_cast<int>(sweeps_.size());
    const auto boxes = cut(grid_, slab.count, threads);
    std::atomic<std::size_t> entered = 0;
#pragma omp parallel num_threads(threads)
    {
        Sweep& sweep = sweeps_[entered++];
#pragma omp for schedule(dynamic)
        for (const Box& box : boxes) sweep.run(slab, fields, box, result);
    }
}

}  // namespace mpdata
