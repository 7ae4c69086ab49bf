#include "mpdata/triad.hpp"

namespace ductile::bench {

Triad::Triad(std::int64_t values, int threads)
    : threads_(threads),
      a_(static_cast<std::size_t>(values)),
      b_(static_cast<std::size_t>(values), 1.0),
      c_(static_cast<std::size_t>(values), 2.0) {}

std::int64_t Triad::run() {
    double* __restrict a = a_.data();
    const double* __restrict b = b_.data();
    const double* __restrict c = c_.data();
    const std::size_t n = a_.size();
#pragma omp parallel for simd num_threads(threads_)
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    return static_cast<std::int64_t>(3 * n * sizeof(double));
}

}  // namespace ductile::bench
