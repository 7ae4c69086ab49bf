// The triad of the STREAM benchmark, a = b + s c: as fast as memory can be read and written.
#pragma once

#include <cstdint>
#include <vector>

namespace ductile::bench {

class Triad {
  public:
    explicit Triad(std::int64_t values, int threads);
    /// Runs it once; returns the bytes that are read and written: three arrays, and a fourth time
    /// where the cache reads what it is about to overwrite, which is not counted.
    std::int64_t run();

  private:
    int threads_;
    std::vector<double> a_, b_, c_;
};

}  // namespace ductile::bench
