// Scalar products that come out the same however their terms are dealt out over ranks. Pure.
#pragma once

#include <span>

namespace cg {

/// An unevaluated sum of two numbers: twice the precision of one.
struct Pair {
    double high = 0, low = 0;
};

/// The sum of two pairs, up to some units of 2^-104 (Dekker 1971).
Pair add(Pair a, Pair b);

/// The scalar product, up to some units of 2^-104 of the sum of the terms' magnitudes ("Dot2" of
/// Ogita, Rump and Oishi 2005). Rounded to one number it is hence nearly always the number next to
/// the true one, in whatever order the terms come. Precondition: as many numbers in both, and none
/// above 2^500.
Pair dot(std::span<const double> a, std::span<const double> b);

}  // namespace cg
