// How targets tell their sources that they are ready to receive.
#pragma once

#include <set>
#include <vector>

#include "data/local_moves.hpp"
#include "data/pending_requests.hpp"

namespace ductile::data {

/// The peers of packets.
std::set<core::Rank> peers_of(const std::vector<Packet>& packets);

/// Sends a ready message to each rank from which this rank will receive data. A source sends data
/// to a target only after this message. So nothing is sent to a newcomer that has died or stopped
/// by then: MPICH would repeat the send for ever or treat its error as fatal (docs/decisions/0003).
void send_ready(const mpi::Comm& comm, const LocalMoves& moves);

/// Starts to receive the ready message of a rank to which this rank will send.
void receive_ready(const mpi::Comm& comm, core::Rank target, PendingRequests& requests);

}  // namespace ductile::data
