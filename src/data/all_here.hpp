// Ranks that have to know of each other that they are there.
#pragma once

#include <cstdint>

#include "data/pending_requests.hpp"

namespace ductile::data {

/// All ranks of a communicator give a number. When the request is complete, all have come to
/// begin(), and `largest` is the largest of the numbers. Never waits inside MPI. Both live as long
/// as the request.
class AllHere {
  public:
    void begin(const mpi::Comm& comm, std::int64_t mine, PendingRequests& requests);
    [[nodiscard]] std::int64_t largest() const { return largest_; }

  private:
    std::int64_t mine_ = 0;
    std::int64_t largest_ = 0;
};

}  // namespace ductile::data
