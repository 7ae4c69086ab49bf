#include "data/pending_requests.hpp"

#include "mpi/wait_asleep.hpp"

namespace ductile::data {

MPI_Request* PendingRequests::add() {
    return &requests_.emplace_back(MPI_REQUEST_NULL);
}

bool PendingRequests::complete_all(Progress& progress, const GivenUp& given_up,
                                   const std::function<void(std::size_t)>& on_complete,
                                   std::chrono::microseconds awake) {
    for (; completed_ < requests_.size(); ++completed_) {
        // Not MPI_Waitany: it never returns if a peer has died.
        const auto which = mpi::wait_any_asleep_unless(requests_, given_up, awake);
        if (!which) return false;
        on_complete(static_cast<std::size_t>(*which));
        progress.step();
    }
    return true;
}

}  // namespace ductile::data
