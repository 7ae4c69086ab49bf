// What a rank needs of other ranks' parts of a vector to multiply its rows with it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "cg/sparse_matrix.hpp"

namespace cg {

/// A block of rows, the part of one rank: [begin, end) of the job's.
struct Block {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// Who sends which elements to whom, for one distribution of the rows. Made again after a resize.
class Ghosts {
  public:
    /// `blocks`: of all ranks of `comm`. Collective over it.
    Ghosts(MPI_Comm comm, std::span<const Block> blocks, std::span<const Entry> entries);

    /// Fetches the other ranks' elements of a vector, of which `mine` is this rank's part.
    /// Collective.
    void exchange(std::span<const double> mine);
    /// By the number of an entry of the constructor: where `values()` has what the entry is
    /// multiplied with.
    [[nodiscard]] std::span<const std::int64_t> places() const { return places_; }
    /// This rank's part, then what it has fetched.
    [[nodiscard]] std::span<const double> values() const { return values_; }

  private:
    MPI_Comm comm_;
    std::vector<int> sends_, receives_;  ///< elements to and from each rank
    std::vector<int> send_starts_, recv_starts_;
    std::vector<std::int64_t> to_send_;  ///< places in `mine`
    std::vector<double> packed_, values_;
    std::vector<std::int64_t> places_;
    std::size_t mine_ = 0;
};

}  // namespace cg
