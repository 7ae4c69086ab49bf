// How targets tell their sources that they can be sent to.
#pragma once

#include <set>
#include <vector>

#include "data/local_moves.hpp"
#include "data/pending_requests.hpp"

namespace ductile::data {

/// The ranks at the other end of packets.
std::set<core::Rank> peers_of(const std::vector<Packet>& packets);

/// A rank is sent its data when it says that it is there, and not before: nothing is sent to a
/// newcomer that has died or stopped by then, which MPICH would repeat for ever or take for fatal
/// (docs/decisions/0003). This rank says it to all from whom it is to receive.
void say_ready(const mpi::Comm& comm, const LocalMoves& moves);

/// Begins to listen for the word of a rank to which this one is to send.
void hear_ready(const mpi::Comm& comm, core::Rank target, PendingRequests& requests);

}  // namespace ductile::data
