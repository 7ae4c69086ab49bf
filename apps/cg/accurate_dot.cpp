// The compiler must not fuse or reorder these operations (-ffp-contract=off, no -ffast-math).
#include "cg/accurate_dot.hpp"

#include <cstddef>

namespace cg {

namespace {

// a + b, and its rounding error (knuth-1969).
Pair exact_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// Splits a number into two halves of 26 bits, by Veltkamp's algorithm.
Pair halves(double a) {
    const double scaled = 134217729.0 * a;  // 2^27 + 1
    const double high = scaled - (scaled - a);
    return {high, a - high};
}

// a * b, and its rounding error (dekker-1971).
Pair exact_product(double a, double b) {
    const double product = a * b;
    const Pair x = halves(a), y = halves(b);
    const double rest = ((x.high * y.high - product) + x.high * y.low) + x.low * y.high;
    return {product, rest + x.low * y.low};
}

}  // namespace

Pair add(Pair a, Pair b) {
    const Pair sum = exact_sum(a.high, b.high);
    return exact_sum(sum.high, sum.low + (a.low + b.low));
}

Pair dot(std::span<const double> a, std::span<const double> b) {
    Pair all;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Pair product = exact_product(a[i], b[i]);
        const Pair sum = exact_sum(all.high, product.high);
        all = {sum.high, all.low + (sum.low + product.low)};
    }
    return exact_sum(all.high, all.low);
}

}  // namespace cg
