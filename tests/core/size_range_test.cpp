#include "core/size_range.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"

namespace ductile::core::size_range_test {
namespace {

constexpr int most = 1000;

TEST(SizeRange, IsReadAsOneSizeOrAsTwo) {
    EXPECT_EQ(parse_size_range("-n", "1", most), SizeRange::exactly(1));
    EXPECT_EQ(parse_size_range("-n", "1000", most), SizeRange::exactly(1000));
    EXPECT_EQ(parse_size_range("-n", "2:8", most), (SizeRange{2, 8}));
    EXPECT_EQ(parse_size_range("-n", "8:8", most), SizeRange::exactly(8));
    EXPECT_EQ(parse_size_range("-n", "1:1000", most), (SizeRange{1, 1000}));
}

TEST(SizeRange, WhatIsNoneIsRefusedByTheNameOfItsOption) {
    for (const std::string text :
         {"",     "0",     "-1",  "+2",  "1001",        "two",          "2 ",     " 2",
          "2.0",  "0x2",   ":",   "2:",  ":8",          "0:8",          "2:1001", "2:8:",
          "2::8", "2:4:8", "2-8", "2,8", "99999999999", "2:99999999999"}) {
        try {
            parse_size_range("--ranks", text, most);
            ADD_FAILURE() << "'" << text << "' is taken";
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).rfind("--ranks is '" + text + "', not a size", 0),
                      0u)
                << error.what();
        }
    }
}

TEST(SizeRange, WhatIsTheWrongWayRoundIsShownTheOtherWay) {
    try {
        parse_size_range("DUCTILE_RANKS", "8:2", most);
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "DUCTILE_RANKS is '8:2': a range begins with its smaller size (2:8)");
    }
}

TEST(SizeRange, HoldsItsEndsAndWhatIsBetween) {
    const SizeRange range{4, 8};
    for (int size = 0; size < 12; ++size)
        EXPECT_EQ(range.holds(size), size >= 4 && size <= 8) << size;
    EXPECT_TRUE(SizeRange::exactly(3).is_one());
    EXPECT_FALSE(range.is_one());
}

RC_GTEST_PROP(SizeRange, ComesBackFromItsText, ()) {
    const int lower = *rc::gen::inRange(1, most + 1);
    const SizeRange range{lower, *rc::gen::inRange(lower, most + 1)};
    RC_ASSERT(parse_size_range("-n", to_string(range), most) == range);
}

}  // namespace
}  // namespace ductile::core::size_range_test
