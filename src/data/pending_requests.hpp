// Requests of MPI that are completed asleep.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <vector>

#include "data/mover.hpp"

namespace ductile::data {

/// They are neither cancelled nor waited for where it ends: a peer may be dead.
class PendingRequests {
  public:
    /// A further one, for the call that makes it: null until then. Of use until the next add().
    MPI_Request* add();
    /// Completes all, each a step of progress: true. False when `given_up` says so while one is
    /// under way. `on_complete` hears the number of each, in the order of add(), and may add more.
    bool complete_all(
        Progress& progress, const GivenUp& given_up,
        const std::function<void(std::size_t)>& on_complete = [](std::size_t) {},
        std::chrono::microseconds awake = {});
    /// The same for data that MPI moves by a small piece a look (measured: MPICH, data that are not
    /// in one place, and one-sided calls, between ranks of a host): without sleep while they come.
    bool complete_all_awake(
        Progress& progress, const GivenUp& given_up,
        const std::function<void(std::size_t)>& on_complete = [](std::size_t) {}) {
        return complete_all(progress, given_up, on_complete, std::chrono::seconds(1));
    }

  private:
    std::vector<MPI_Request> requests_;
    std::size_t completed_ = 0;
};

}  // namespace ductile::data
