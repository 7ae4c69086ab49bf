// The iteration times of paced.
#include "paced/curve.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace paced::curve_test {
namespace {

TEST(Curve, GivesTheTimeOfTheNextNumberOfRanksBelow) {
    const auto curve = parse_curve("2:3.4,4:1.47,1:8.9");
    EXPECT_DOUBLE_EQ(curve.seconds(1), 8.9);
    EXPECT_DOUBLE_EQ(curve.seconds(2), 3.4);
    EXPECT_DOUBLE_EQ(curve.seconds(3), 3.4);
    EXPECT_DOUBLE_EQ(curve.seconds(4), 1.47);
    EXPECT_DOUBLE_EQ(curve.seconds(100), 1.47);
    EXPECT_DOUBLE_EQ(parse_curve("4:12.2").seconds(1), 12.2);
}

TEST(Curve, OtherTextIsRefused) {
    for (const char* text : {"", "4", "4:", ":1", "0:1", "-1:1", "1:-1", "1:x", "1:2:3", "1:1,1:2",
                             "1:1,,2:1", "1:1e9", "99999999:1", "1:nan", " 1:1"})
        EXPECT_THROW(static_cast<void>(parse_curve(text)), std::invalid_argument) << text;
}

}  // namespace
}  // namespace paced::curve_test
