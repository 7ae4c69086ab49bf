// Scalar products that hardly depend on how their terms are distributed over ranks. Pure.
#pragma once

#include <span>

namespace cg {

/// An unevaluated sum of two numbers: twice the precision of one.
struct Pair {
    double high = 0, low = 0;
};

/// The sum of two pairs, up to some units of 2^-104 (dekker-1971).
Pair add(Pair a, Pair b);

/// The scalar product ("Dot2" of ogita-2005). Its error is at most some units of 2^-104, times the
/// sum of the terms' magnitudes. So the product, rounded to one number, is nearly always the number
/// nearest to the exact product, in any order of the terms. Precondition: both spans have the same
/// size, and no number is above 2^500 in magnitude.
Pair dot(std::span<const double> a, std::span<const double> b);

}  // namespace cg
