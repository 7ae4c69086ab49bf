#include "plan/slice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace ductile::plan::slice_test {
namespace {

using core::Rank;

struct Piece {
    int source = 0, target = 0;
    std::int64_t bytes = 0;
};

std::vector<Range> cut(const std::vector<Piece>& pieces, Slice slice) {
    SliceCutter cutter(slice);
    std::vector<Range> ranges;
    for (const auto& one : pieces) cutter.announce(Rank{one.source}, Rank{one.target}, one.bytes);
    for (const auto& one : pieces)
        ranges.push_back(cutter.cut(Rank{one.source}, Rank{one.target}, one.bytes));
    return ranges;
}

TEST(SliceCutter, CutsAShareOfEachPair) {
    const std::vector<Piece> pieces{{0, 1, 4}, {0, 2, 3}, {0, 1, 4}};
    EXPECT_EQ(cut(pieces, {0, 2}), (std::vector<Range>{{0, 4}, {0, 1}, {0, 0}}));
    EXPECT_EQ(cut(pieces, {1, 2}), (std::vector<Range>{{4, 4}, {1, 3}, {0, 4}}));
    EXPECT_EQ(cut(pieces, {}), (std::vector<Range>{{0, 4}, {0, 3}, {0, 4}}));
}

TEST(SliceCutter, CountsBeyond31Bits) {
    constexpr auto many = std::int64_t{1} << 58;
    EXPECT_EQ(cut({{0, 1, many}}, {1023, 1024}), (std::vector<Range>{{many / 1024 * 1023, many}}));
}

RC_GTEST_PROP(SliceCutter, SlicesAreTheWholeAndAsLarge, ()) {
    std::vector<Piece> pieces;
    std::map<std::pair<int, int>, std::int64_t> all;
    for (int i = 0, n = *rc::gen::inRange(0, 20); i < n; ++i) {
        pieces.push_back({*rc::gen::inRange(0, 3), *rc::gen::inRange(0, 3),
                          *rc::gen::inRange<std::int64_t>(0, 50)});
        all[{pieces.back().source, pieces.back().target}] += pieces.back().bytes;
    }
    const int of = *rc::gen::inRange(1, 12);
    std::vector<std::int64_t> done(pieces.size());
    for (int index = 0; index < of; ++index) {
        const auto ranges = cut(pieces, {index, of});
        std::map<std::pair<int, int>, std::int64_t> share;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto [begin, end] = ranges[i];
            if (begin == end) continue;
            RC_ASSERT(begin == done[i] && end <= pieces[i].bytes);
            done[i] = end;
            share[{pieces[i].source, pieces[i].target}] += end - begin;
        }
        for (const auto& [pair, bytes] : all) RC_ASSERT(std::abs(share[pair] * of - bytes) < of);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) RC_ASSERT(done[i] == pieces[i].bytes);
}

}  // namespace
}  // namespace ductile::plan::slice_test
