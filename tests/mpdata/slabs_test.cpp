// The field after some steps is bit for bit the same, however the grid is cut.
#include <gtest/gtest.h>

#include "cut_world.hpp"
#include "random_fields.hpp"

namespace mpdata::slabs_test {
namespace {

constexpr Boundary open = Boundary::open;
constexpr Boundary periodic = Boundary::periodic;

const std::vector<Scheme> schemes{{1, false, false}, {2, false, false}, {2, true, false},
                                  {2, false, true},  {2, true, true},   {3, false, false},
                                  {3, true, false},  {4, true, false}};
const std::vector<std::array<Boundary, 3>> boundaries{{open, open, open},
                                                      {periodic, periodic, periodic},
                                                      {periodic, open, periodic},
                                                      {open, periodic, open}};

std::string name(const Scheme& scheme, const std::array<Boundary, 3>& boundary) {
    std::string text = std::to_string(scheme.passes) + " passes";
    if (scheme.non_oscillatory) text += ", non-oscillatory";
    if (scheme.infinite_gauge) text += ", infinite gauge";
    for (const Boundary side : boundary) text += side == open ? " open" : " periodic";
    return text;
}

// Calls `test(grid, scheme, fields)` for each kind of boundary and each scheme.
template <class Test>
void for_each_case(const std::array<std::int64_t, 3>& cells, Test test) {
    for (const auto& boundary : boundaries)
        for (const auto& scheme : schemes) {
            SCOPED_TRACE(name(scheme, boundary));
            const Grid grid{cells, boundary};
            test(grid, scheme, random_fields(grid, 7));
        }
}

TEST(Slabs, AnyNumberGivesTheSameBits) {
    for_each_case({15, 6, 5},
                  [](const Grid& grid, const Scheme& scheme, const WholeFields& fields) {
                      const auto whole = after(3, grid, scheme, fields);
                      for (int slabs = 2; slabs <= 7; ++slabs) {
                          CutWorld world(grid, scheme, fields, slabs);
                          world.run(3);
                          EXPECT_TRUE(world.psi() == whole) << slabs << " slabs";
                      }
                  });
}

TEST(Slabs, ASlabMayBeThinnerThanItsGhosts) {
    for_each_case({4, 3, 1}, [](const Grid& grid, const Scheme& scheme, const WholeFields& fields) {
        CutWorld world(grid, scheme, fields, 4);
        world.run(3);
        EXPECT_TRUE(world.psi() == after(3, grid, scheme, fields));
    });
}

TEST(Slabs, BoxesGiveTheSameBits) {
    for_each_case({9, 11, 4}, [](const Grid& grid, const Scheme& scheme,
                                 const WholeFields& fields) {
        const std::int64_t halo = halo_width(scheme);
        const std::int64_t ni = grid.cells[0];
        // Ghost planes on both sides, as a rank has them.
        const auto with_ghosts = [&](const std::vector<double>& own, std::int64_t plane,
                                     std::int64_t more) {
            std::vector<double> values(static_cast<std::size_t>((ni + 2 * halo + more) * plane));
            for (std::int64_t i = -halo; i < ni + halo + more; ++i) {
                const std::int64_t from = grid.is_periodic(0) ? (i % ni + ni) % ni : i;
                if (from < 0 || from >= ni + more) continue;
                std::copy_n(own.begin() + from * plane, plane, values.begin() + (halo + i) * plane);
            }
            return values;
        };
        const auto psi = with_ghosts(fields.psi, cell_plane(grid), 0);
        const auto density = with_ghosts(fields.density, cell_plane(grid), 0);
        const auto x = with_ghosts(fields.x, cell_plane(grid), 1);
        const auto y = with_ghosts(fields.y, y_plane(grid), 0);
        const auto z = with_ghosts(fields.z, z_plane(grid), 0);
        const SlabFields slab{psi.data() + halo * cell_plane(grid),
                              density.data() + halo * cell_plane(grid),
                              x.data() + halo * cell_plane(grid), y.data() + halo * y_plane(grid),
                              z.data() + halo * z_plane(grid)};
        std::vector<double> result(fields.psi.size());
        Sweep sweep(grid, scheme, 5);
        for (const Span planes : {Span{0, 4}, Span{4, 5}, Span{5, 9}})
            for (const Span rows : {Span{0, 1}, Span{1, 6}, Span{6, 11}})
                sweep.run({0, ni}, slab, {planes, rows}, result.data());
        EXPECT_TRUE(result == after(1, grid, scheme, fields));
    });
}

TEST(Slabs, ThreadsGiveTheSameBits) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer does not see the barriers of GCC's OpenMP";
#endif
    const Grid grid{{40, 30, 3}, {periodic, open, periodic}};
    const Scheme scheme{2, true, false};
    const auto fields = random_fields(grid, 3);
    for (const int threads : {2, 3, 5}) {
        CutWorld world(grid, scheme, fields, 1, threads);
        world.run(2);
        EXPECT_TRUE(world.psi() == after(2, grid, scheme, fields)) << threads << " threads";
    }
}

// So that the tests above compare fields that the inputs have an influence on.
TEST(Slabs, EachInputChangesTheField) {
    const Grid grid{{8, 7, 6}, {open, periodic, open}};
    const Scheme scheme{2, true, false};
    const auto fields = random_fields(grid, 1);
    const auto plain = after(2, grid, scheme, fields);
    for (const auto input : {&WholeFields::psi, &WholeFields::density, &WholeFields::x,
                             &WholeFields::y, &WholeFields::z}) {
        auto changed = fields;
        (changed.*input)[100] *= 1.001;
        EXPECT_FALSE(after(2, grid, scheme, changed) == plain);
    }
}

}  // namespace
}  // namespace mpdata::slabs_test
