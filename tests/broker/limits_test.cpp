#include "broker/limits.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::limits_test {
namespace {

Limits user(int min, int max) {
    Limits limits;
    if (min != 0) limits.min = {min, Origin::command_line};
    if (max != 0) limits.max = {max, Origin::command_line};
    return limits;
}

Limits code(int min, int max) {
    Limits limits;
    limits.min = {min, Origin::code};
    limits.max = {max, Origin::code};
    return limits;
}

TEST(Limits, the_user_may_narrow_the_codes_bounds) {
    auto limits = user(4, 6);
    EXPECT_FALSE(merge_code(limits, code(2, 8)));
    EXPECT_EQ(limits.min.value, 4);
    EXPECT_EQ(limits.max.value, 6);
    EXPECT_EQ(limits.max.origin, Origin::command_line);
}

TEST(Limits, the_user_may_not_widen_them) {
    auto limits = user(1, 16);
    const auto refused = merge_code(limits, code(2, 8));
    ASSERT_TRUE(refused);
    EXPECT_NE(refused->find("min 1 is below"), std::string::npos);
    EXPECT_NE(refused->find("max 16 is above"), std::string::npos);
    EXPECT_EQ(limits.min.value, 2);
    EXPECT_EQ(limits.max.value, 8);
    EXPECT_EQ(limits.max.origin, Origin::code);
}

TEST(Limits, the_codes_hold_where_the_user_says_nothing) {
    auto limits = user(0, 0);
    EXPECT_FALSE(merge_code(limits, code(2, 8)));
    EXPECT_TRUE(objection(limits, 1));
    EXPECT_FALSE(objection(limits, 2));
    EXPECT_FALSE(objection(limits, 8));
    const auto why = objection(limits, 9);
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("(code)"), std::string::npos);
}

TEST(Limits, one_world_is_for_the_code_to_say) {
    auto limits = user(4, 6);
    auto of_one_world = code(0, 0);
    of_one_world.one_world = {true, Origin::code};
    EXPECT_FALSE(merge_code(limits, code(0, 0)));
    EXPECT_FALSE(limits.one_world.value);
    EXPECT_FALSE(merge_code(limits, of_one_world));
    EXPECT_TRUE(limits.one_world.value);
}

TEST(Limits, multiples) {
    auto limits = user(0, 0);
    limits.multiple = {4, Origin::file};
    EXPECT_FALSE(objection(limits, 8));
    EXPECT_TRUE(objection(limits, 6));
}

}  // namespace
}  // namespace ductile::broker::limits_test
