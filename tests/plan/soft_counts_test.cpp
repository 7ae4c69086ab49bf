#include "plan/soft_counts.hpp"

#include <gtest/gtest.h>

namespace ductile::plan::soft_counts_test {
namespace {

/// The members from 0 to `most`, largest first.
std::vector<int> members(std::string_view text, int most = 12) {
    const auto parsed = SoftCounts::parse(text);
    const auto* counts = std::get_if<SoftCounts>(&parsed);
    if (counts == nullptr) return {-1};
    std::vector<int> all;
    for (auto next = counts->largest_up_to(most); next; next = counts->largest_up_to(*next - 1)) {
        all.push_back(*next);
        if (*next == 0) break;
    }
    return all;
}

using Members = std::vector<int>;

TEST(SoftCounts, Sets) {
    EXPECT_EQ(members("3"), (Members{3}));
    EXPECT_EQ(members("0:4"), (Members{4, 3, 2, 1, 0}));
    EXPECT_EQ(members("1,2,4,8,16"), (Members{8, 4, 2, 1}));
    EXPECT_EQ(members("2:10:2,7"), (Members{10, 8, 7, 6, 4, 2}));
    EXPECT_EQ(members("2:10000:2"), (Members{12, 10, 8, 6, 4, 2}));
    EXPECT_EQ(members("9:2:-3"), (Members{9, 6, 3})) << "down to the end, which is none of them";
    EXPECT_EQ(members("2:9:3"), (Members{8, 5, 2}));
    EXPECT_EQ(members("5:5:-1"), (Members{5}));
    EXPECT_EQ(members("4,4,1:4"), (Members{4, 3, 2, 1}));
    EXPECT_EQ(members(" 1 , 3 : 5 : 2 "), (Members{5, 3, 1}));
}

TEST(SoftCounts, WhatIsNegativeOrTooLargeIsPassedOver) {
    EXPECT_EQ(members("-3:3"), (Members{3, 2, 1, 0}));
    EXPECT_EQ(members("-5:20:10"), (Members{5}));
    EXPECT_EQ(members("-4,-1"), (Members{}));
    EXPECT_EQ(members("13,20"), (Members{}));
    EXPECT_EQ(members("-999999999999999:999999999999999:999999999999999"), (Members{0}));
}

TEST(SoftCounts, OtherTextsAreRefused) {
    for (const auto* bad : {"",
                            ",",
                            "1,",
                            ",1",
                            "1,,2",
                            "x",
                            "1x",
                            "0x1",
                            "1.5",
                            "+1",
                            "1:",
                            ":1",
                            "1::2",
                            "1:2:",
                            "1:2:3:4",
                            "1:4:0",
                            "1:4:-1",
                            "4:1",
                            "4:1:1",
                            "1 2",
                            "1000000000000000",
                            "99999999999999999999"})
        EXPECT_EQ(members(bad), Members{-1}) << bad;
    EXPECT_EQ(std::get<std::string>(SoftCounts::parse("1,4:1")),
              "'4:1' is no number a, no range a:b, and no range with a step, a:b:c");
}

}  // namespace
}  // namespace ductile::plan::soft_counts_test
