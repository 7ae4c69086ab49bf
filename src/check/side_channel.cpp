#include "check/side_channel.hpp"

namespace ductile::check {

namespace {

constexpr int tag = 0x0d70;

}  // namespace

void SideChannel::open(MPI_Comm job, MPI_Comm side) {
    MPI_Comm comm = side;
    if (side == MPI_COMM_NULL) PMPI_Comm_dup(job, &comm);
    const std::lock_guard lock(mutex_);
    comm_ = comm;
    ours_ = side == MPI_COMM_NULL;
    ++times_opened_;
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(comm_, &rank_);
    PMPI_Comm_size(comm_, &size_);
}

void SideChannel::close() {
    const std::lock_guard lock(mutex_);
    if (comm_ == MPI_COMM_NULL) return;
    while (receive()) {
    }
    // The memory of a send must stay, even if the send never completes.
    static auto& left_to_mpi = *new std::list<Sending>;
    left_to_mpi.splice(left_to_mpi.end(), sending_);
    if (ours_) PMPI_Comm_free(&comm_);
    comm_ = MPI_COMM_NULL;
}

void SideChannel::send(int to, const SideMessage& message) {
    auto& sending = sending_.emplace_back(Sending{message, MPI_REQUEST_NULL});
    PMPI_Isend(&sending.message, sizeof(SideMessage), MPI_BYTE, to, tag, comm_, &sending.request);
}

std::optional<SideChannel::Received> SideChannel::receive() {
    std::erase_if(sending_, [](Sending& sending) {
        int done = 0;
        return PMPI_Test(&sending.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
    });
    int is_there = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &is_there, &status) != MPI_SUCCESS || is_there == 0)
        return std::nullopt;
    Received received{status.MPI_SOURCE, {}};
    if (PMPI_Recv(&received.message, sizeof(SideMessage), MPI_BYTE, status.MPI_SOURCE, tag, comm_,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return std::nullopt;
    return received;
}

}  // namespace ductile::check
