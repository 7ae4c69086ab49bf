// Scalar products with twice the usual precision.
#include "cg/accurate_dot.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace cg::accurate_dot_test {
namespace {

using Vector = std::vector<double>;

TEST(AccurateDot, KeepsWhatIsRoundedOff) {
    const Vector a{1e16, 1, -1e16}, ones{1, 1, 1};
    EXPECT_EQ(std::inner_product(a.begin(), a.end(), ones.begin(), 0.0), 0.0) << "a plain sum";
    EXPECT_EQ(dot(a, ones).high, 1.0);
    const double root = std::sqrt(2.0);
    EXPECT_EQ(dot(Vector{root, -2}, Vector{root, 1}).high, std::fma(root, root, -2.0));
    EXPECT_EQ(dot(Vector(), Vector()).high, 0.0);
}

TEST(AccurateDot, APairIsMoreThanItsHighPart) {
    const Pair sum = add({1, 1e-20}, {1e16, -1e-3});
    EXPECT_EQ(sum.high, 1e16 + 1 - 1e-3);
    EXPECT_EQ(add(sum, {-1e16, 0}).high, 1 - 1e-3);
}

// The reference is a sum with 113 bits of precision.
RC_GTEST_PROP(AccurateDotOfAnything, IsTheSameHoweverItIsDealtOut, ()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 40);
    const auto number =
        rc::gen::map(rc::gen::pair(rc::gen::inRange(-1000000, 1000000), rc::gen::inRange(-20, 20)),
                     [](std::pair<int, int> of) { return std::ldexp(of.first / 7.0, of.second); });
    const auto a = *rc::gen::container<Vector>(size, number);
    const auto b = *rc::gen::container<Vector>(size, number);
    const auto cut = *rc::gen::inRange<std::size_t>(0, size + 1);
    __extension__ using Long = __float128;
    Long exact = 0, magnitude = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const Long term = static_cast<Long>(a[i]) * static_cast<Long>(b[i]);
        exact += term, magnitude += term < 0 ? -term : term;
    }
    const std::span x(a), y(b);
    const Pair whole = dot(x, y);
    const Pair parts = add(dot(x.first(cut), y.first(cut)), dot(x.subspan(cut), y.subspan(cut)));
    for (const Pair& pair : {whole, parts}) {
        const Long error = static_cast<Long>(pair.high) + static_cast<Long>(pair.low) - exact;
        RC_ASSERT(static_cast<double>(error < 0 ? -error : error) <=
                  std::ldexp(static_cast<double>(magnitude), -90));
    }
}

}  // namespace
}  // namespace cg::accurate_dot_test
