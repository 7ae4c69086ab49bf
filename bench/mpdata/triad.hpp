// The triad of the STREAM benchmark, a = b + s c: it shows how fast memory can be read and written.
#pragma once

#include <cstdint>
#include <vector>

namespace ductile::bench {

class Triad {
  public:
    explicit Triad(std::int64_t values, int threads);
    /// Runs the triad once. Returns the bytes of the two arrays that are read and the array that is
    /// written. If the cache reads lines before they are overwritten, this is not counted.
    std::int64_t run();

  private:
    int threads_;
    std::vector<double> a_, b_, c_;
};

}  // namespace ductile::bench
