#include "mpdata/halo_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace mpdata::halo_plan_test {
namespace {

TEST(SlabOf, Cases) {
    const std::int64_t begins[] = {0, 3, 6, 8, 10};
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(slab_of(10, 4, rank).offset, begins[rank]);
        EXPECT_EQ(slab_of(10, 4, rank).count, begins[rank + 1] - begins[rank]);
    }
    EXPECT_EQ(slab_of(2, 3, 2).count, 0);
}

TEST(TransfersOf, Cases) {
    using List = std::vector<PlaneTransfer>;
    EXPECT_EQ(transfers_of(4, 2, 0, {1, 1}, false), (List{{1, 0, 0, 2, 1}, {0, 1, 1, -1, 1}}));
    EXPECT_EQ(transfers_of(4, 2, 1, {1, 1}, false), (List{{1, 0, 0, 2, 1}, {0, 1, 1, -1, 1}}));
    EXPECT_EQ(transfers_of(4, 1, 0, {1, 1}, false), List{});
    EXPECT_EQ(transfers_of(4, 1, 0, {2, 1}, true), (List{{0, 0, 2, -2, 2}, {0, 0, 0, 4, 1}}));
    // One plane a rank: two ghosts come from two ranks.
    EXPECT_EQ(transfers_of(3, 3, 0, {0, 2}, false), (List{{1, 0, 0, 1, 1}, {2, 0, 0, 2, 1}}));
    // Fewer planes than ghosts: the same plane comes twice.
    EXPECT_EQ(transfers_of(1, 2, 0, {2, 0}, true), (List{{0, 0, 0, -2, 1}, {0, 0, 0, -1, 1}}));
    EXPECT_EQ(transfers_of(1, 2, 1, {2, 0}, true), List{});
}

// Every rank carries out its transfers; then each ghost is the plane that it stands for.
TEST(TransfersOf, GiveEachRankItsGhosts) {
    const GhostPlanes ghosts{3, 4};
    for (std::int64_t planes = 1; planes <= 12; ++planes)
        for (int ranks = 1; ranks <= 7; ++ranks)
            for (const bool periodic : {false, true})
                for (int rank = 0; rank < ranks; ++rank) {
                    const Slab own = slab_of(planes, ranks, rank);
                    std::map<std::int64_t, std::int64_t> found;  // ghost -> plane of the grid
                    for (const auto& t : transfers_of(planes, ranks, rank, ghosts, periodic)) {
                        const auto others = transfers_of(planes, ranks, t.from, ghosts, periodic);
                        ASSERT_TRUE(std::find(others.begin(), others.end(), t) != others.end());
                        if (t.to != rank) continue;
                        const Slab source = slab_of(planes, ranks, t.from);
                        ASSERT_LE(t.first + t.count, source.count);
                        for (std::int64_t i = 0; i < t.count; ++i)
                            found[t.ghost + i] = source.offset + t.first + i;
                    }
                    std::map<std::int64_t, std::int64_t> expected;
                    for (std::int64_t g = -ghosts.before; g < own.count + ghosts.after; ++g) {
                        const std::int64_t plane = own.offset + g;
                        if (own.count == 0 || (g >= 0 && g < own.count)) continue;
                        if (periodic)
                            expected[g] = ((plane % planes) + planes) % planes;
                        else if (plane >= 0 && plane < planes)
                            expected[g] = plane;
                    }
                    ASSERT_EQ(found, expected)
                        << planes << " planes, rank " << rank << "/" << ranks;
                }
}

}  // namespace
}  // namespace mpdata::halo_plan_test
