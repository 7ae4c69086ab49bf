#include "plan/distribution.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ductile::plan::distribution_test {
namespace {

static_assert(BlockDistribution{10, 4}.begin(2) == 6, "usable in constant expressions");

TEST(BlockDistribution, Cases) {
    const struct {
        std::int64_t elements;
        int parts;
        std::vector<std::int64_t> begins;  // of each part, and the end of the last
    } table[] = {
        {10, 4, {0, 3, 6, 8, 10}}, {8, 4, {0, 2, 4, 6, 8}}, {3, 5, {0, 1, 2, 3, 3, 3}},
        {0, 2, {0, 0, 0}},         {7, 1, {0, 7}},          {1, 1, {0, 1}},
    };
    for (const auto& row : table) {
        const BlockDistribution blocks{row.elements, row.parts};
        for (int part = 0; part <= row.parts; ++part)
            EXPECT_EQ(blocks.begin(part), row.begins[static_cast<std::size_t>(part)])
                << row.elements << " in " << row.parts;
    }
}

TEST(BlockDistribution, AllSmallSizes) {
    for (int parts = 1; parts <= 64; ++parts)
        for (std::int64_t elements = 0; elements <= 200; ++elements) {
            const BlockDistribution blocks{elements, parts};
            std::int64_t next = 0;
            for (int part = 0; part < parts; ++part) {
                ASSERT_EQ(blocks.begin(part), next);
                ASSERT_EQ(blocks.end(part), next + blocks.count(part));
                ASSERT_EQ(blocks.count(part), elements / parts + (part < elements % parts ? 1 : 0));
                for (; next < blocks.end(part); ++next) ASSERT_EQ(blocks.owner(next), part);
            }
            ASSERT_EQ(next, elements);
        }
}

RC_GTEST_PROP(BlockDistribution, IsExactTo2ToThe62, ()) {
    const std::int64_t most = std::int64_t{1} << 62;
    const auto elements = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, most),
                                          rc::gen::inRange<std::int64_t>(most - 1000, most + 1));
    const BlockDistribution blocks{elements, *rc::gen::inRange(1, 2'000'000)};
    const int part = *rc::gen::inRange(0, blocks.parts);
    RC_ASSERT(blocks.begin(0) == 0);
    RC_ASSERT(blocks.end(blocks.parts - 1) == elements);
    RC_ASSERT(blocks.end(part) - blocks.begin(part) == blocks.count(part));
    RC_ASSERT(blocks.count(0) - blocks.count(part) <= 1 && blocks.count(part) <= blocks.count(0));
    if (blocks.count(part) > 0) {
        RC_ASSERT(blocks.owner(blocks.begin(part)) == part);
        RC_ASSERT(blocks.owner(blocks.end(part) - 1) == part);
    }
    const auto element = *rc::gen::inRange<std::int64_t>(0, elements);
    const int owner = blocks.owner(element);
    RC_ASSERT(blocks.begin(owner) <= element && element < blocks.end(owner));
}

}  // namespace
}  // namespace ductile::plan::distribution_test
