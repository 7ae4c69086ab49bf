// The elements of a vector that a rank needs from other ranks to multiply its rows by the vector.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "cg/sparse_matrix.hpp"

namespace cg {

/// The rows that one rank holds: [begin, end).
struct Block {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// Which rank sends which elements to which rank, for one distribution of the rows. After a resize
/// a new object is made.
class Ghosts {
  public:
    /// `blocks`: the rows of each rank of `comm`. `entries`: the entries of this rank's rows.
    /// Collective over `comm`.
    Ghosts(MPI_Comm comm, std::span<const Block> blocks, std::span<const Entry> entries);

    /// Fetches the other ranks' elements of a vector, of which `mine` is this rank's part.
    /// Collective.
    void exchange(std::span<const double> mine);
    /// For each entry that the constructor received: the index in `values()` of the element by
    /// which the entry is multiplied.
    [[nodiscard]] std::span<const std::int64_t> places() const { return places_; }
    /// This rank's part of the vector, then the elements from other ranks.
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
