#include "data/ready_messages.hpp"

namespace ductile::data {

namespace {

constexpr int ready_tag = 0x0d0d;

}  // namespace

std::set<core::Rank> peers_of(const std::vector<Packet>& packets) {
    std::set<core::Rank> peers;
    for (const auto& packet : packets) peers.insert(packet.peer);
    return peers;
}

void send_ready(const mpi::Comm& comm, const LocalMoves& moves) {
    for (const auto source : peers_of(moves.received))
        mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, source.value, ready_tag, comm.get()), "MPI_Send");
}

void receive_ready(const mpi::Comm& comm, core::Rank target, PendingRequests& requests) {
    mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, target.value, ready_tag, comm.get(), requests.add()),
               "MPI_Irecv");
}

}  // namespace ductile::data
