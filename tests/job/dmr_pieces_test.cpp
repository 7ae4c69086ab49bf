#include "job/dmr/pieces.hpp"

#include <gtest/gtest.h>

namespace ductile::dmr::dmr_pieces_test {
namespace {

using Ranges = std::vector<Range>;

TEST(Pieces, BlocksAreInOrderTheLargerOnesFirst) {
    EXPECT_EQ(blocks(7, 3), (Ranges{{0, 3}, {3, 5}, {5, 7}}));
    EXPECT_EQ(blocks(1, 3), (Ranges{{0, 1}, {1, 1}, {1, 1}}));
    EXPECT_EQ(consecutive({2, 0, 5}), (Ranges{{0, 2}, {2, 2}, {2, 7}}));
}

TEST(Pieces, WhoHoldsNothingSharesNothing) {
    EXPECT_TRUE(shared_pieces({3, 3}, blocks(10, 2)).empty());
    EXPECT_EQ(shared_pieces({0, 2}, {{0, 0}, {0, 2}}), (std::vector<Piece>{{1, {0, 2}}}));
}

// Each element is sent once, from its old owner to its new owner.
TEST(Pieces, EachElementIsSentAndReceivedOnce) {
    for (int before = 1; before < 8; ++before)
        for (int after = 1; after < 8; ++after) {
            const auto old_ranges = blocks(23, before);
            const auto new_ranges = blocks(23, after);
            std::vector<int> owners(23, -1);
            std::size_t received = 0;
            for (std::size_t from = 0; from < old_ranges.size(); ++from)
                for (const auto& [to, elements] : shared_pieces(old_ranges[from], new_ranges))
                    for (auto i = elements.begin; i < elements.end; ++i) {
                        EXPECT_EQ(owners[static_cast<std::size_t>(i)], -1);
                        owners[static_cast<std::size_t>(i)] = to;
                    }
            for (std::size_t to = 0; to < new_ranges.size(); ++to)
                for (const auto& [from, elements] : shared_pieces(new_ranges[to], old_ranges))
                    for (auto i = elements.begin; i < elements.end; ++i, ++received)
                        EXPECT_EQ(owners[static_cast<std::size_t>(i)], static_cast<int>(to));
            EXPECT_EQ(received, 23u);
        }
}

}  // namespace
}  // namespace ductile::dmr::dmr_pieces_test
