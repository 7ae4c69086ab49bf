// MPI requests. A thread sleeps while it waits for their completion.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <vector>

#include "data/mover.hpp"

namespace ductile::data {

/// When the object ends, its requests are neither cancelled nor waited for: a peer may be dead.
class PendingRequests {
  public:
    /// Adds a request, which the caller passes to an MPI call. The pointer is valid until the next
    /// add().
    MPI_Request* add();
    /// Completes all requests and returns true. Each is a step of progress. False if `given_up`
    /// returns true while a request is under way. `on_complete` is called for each request when it
    /// is complete. Its argument is the index of the request: 0 is the first that was added.
    /// `on_complete` may add more requests. `awake`: see mpi::wait_any_asleep_unless.
    bool complete_all(
        Progress& progress, const GivenUp& given_up,
        const std::function<void(std::size_t)>& on_complete = [](std::size_t) {},
        std::chrono::microseconds awake = {});
    /// The same, but polls while data come. For data that MPI moves in small pieces, one piece at
    /// each test (measured: MPICH, data with gaps, and one-sided calls, between ranks of a host).
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
