// The memory of packets (data/local_moves.hpp), as MPI is told of it.
#pragma once

#include <vector>

#include "data/local_moves.hpp"
#include "data/progress.hpp"
#include "mpi/datatype.hpp"

namespace ductile::data {

/// In bytes; the two may be of different arrays.
MPI_Aint distance(const std::byte* from, const std::byte* to);

/// One element of it, at MPI_BOTTOM, is the packet.
mpi::Datatype type_of(const Packet& packet);
/// One element of it at `memory`.
mpi::Datatype type_of(const Packet& packet, const std::byte* memory);
/// One element of it, at the begin of the source's window, is what the packet brings. `places`:
/// where each segment begins there, in bytes.
mpi::Datatype type_of(const Packet& packet, const std::int64_t* places);

/// Calls send_or_receive(address, count, type) for the memory of a packet.
template <class Call>
void with_memory_of(const Packet& packet, Call send_or_receive) {
    if (packet.segments.size() == 1)
        return send_or_receive(packet.segments[0].memory, packet.bytes, MPI_BYTE);
    const auto type = type_of(packet);
    send_or_receive(MPI_BOTTOM, 1, type.get());
}

/// Moves what stays on the rank, each piece a step of progress. A second call does nothing.
void copy_kept(LocalMoves& moves, Progress& progress);

}  // namespace ductile::data
