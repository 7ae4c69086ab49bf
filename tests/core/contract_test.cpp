// Contracts are checked where NDEBUG is not set.
#undef NDEBUG
#include "core/contract.hpp"

#include <gtest/gtest.h>

namespace {

int half_of(int even) {
    DUCTILE_EXPECT(even % 2 == 0);
    const int half = even / 2;
    DUCTILE_ENSURE(half < 100);
    return half;
}

TEST(ContractDeathTest, says_which_condition_does_not_hold_and_where) {
    EXPECT_EQ(half_of(4), 2);
    EXPECT_DEATH(half_of(3), "contract_test.cpp:[0-9]+: .*even % 2 == 0.*precondition");
    EXPECT_DEATH(half_of(200), "contract_test.cpp:[0-9]+: .*half < 100.*postcondition");
}

TEST(Contract, is_for_constant_expressions_too) {
    constexpr auto positive = [](int value) {
        DUCTILE_EXPECT(value > 0);
        return value;
    };
    static_assert(positive(1) == 1);
}

}  // namespace
