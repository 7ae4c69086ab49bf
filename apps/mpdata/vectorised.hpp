// Shared by the kernels on rows: macros for vector instructions, and small formulas.
#pragma once

// Uses wider vectors where the processor has them. The results keep their bits: no operations are
// fused, and no sum has another order. Sanitizers have problems with the resolvers that choose a
// version of such a function.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MPDATA_VECTORISED [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define MPDATA_VECTORISED
#endif
// A function that is not inlined is compiled without the wider instructions, and each call of it
// from code with them would take time.
#define MPDATA_INLINE [[gnu::always_inline]] inline

namespace mpdata {

/// The corrections treat values below this as zero. The product of two numbers of this size is
/// still a normal number. So one division can serve two quotients.
constexpr double tiny = 0x1p-500;

MPDATA_INLINE double larger(double a, double b) {
    return a > b ? a : b;
}
MPDATA_INLINE double smaller(double a, double b) {
    return a < b ? a : b;
}

/// The flux through a face: the flow carries the value of the cell that it comes from.
MPDATA_INLINE double upstream(double gc, double l, double r) {
    return gc * (gc > 0.0 ? l : r);
}

}  // namespace mpdata
