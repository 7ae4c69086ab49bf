// How ranks learn that all ranks of a communicator are there.
#pragma once

#include <cstdint>
#include <vector>

#include "data/pending_requests.hpp"

namespace ductile::data {

/// Each rank of a communicator gives a number. When advance() returns true, all ranks have called
/// begin(), and largest() is the largest number. Never waits inside MPI.
///
/// It uses messages between pairs, up and down a tree. If a collective call of MPI is given up
/// because of a dead rank, it stays under way: any other MPI call continues it, and repeats a send
/// to the dead rank for ever (measured: MPI_Ibarrier, MPICH 5.0.2). A receive that is given up
/// sends nothing.
class AllHere {
  public:
    /// Call it once. `comm` must outlive this object. This object must live until advance() has
    /// returned true. If it is given up, it must live for ever.
    void begin(const mpi::Comm& comm, std::int64_t mine);
    /// True: all are here. False: `given_up` returned true.
    bool advance(Progress& progress, const GivenUp& given_up);
    [[nodiscard]] std::int64_t largest() const { return largest_; }

  private:
    void send_above();
    void send_below();

    const mpi::Comm* comm_ = nullptr;
    int above_ = -1;          ///< -1: this is the root
    std::vector<int> below_;  ///< the children of this rank in the tree
    std::vector<std::int64_t> received_below_;
    std::int64_t to_send_above_ = 0, largest_ = 0;
    PendingRequests gathering_, waiting_, sending_;
    bool has_sent_above_ = false, has_sent_below_ = false;
};

/// Sleeps until all ranks have called this, and returns true. False: it was given up.
bool wait_for_all(const mpi::Comm& comm, Progress& progress, const GivenUp& given_up);

}  // namespace ductile::data
