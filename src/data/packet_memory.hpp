// MPI datatypes for the memory of packets (data/local_moves.hpp).
#pragma once

#include <vector>

#include "data/local_moves.hpp"
#include "data/progress.hpp"
#include "mpi/datatype.hpp"

namespace ductile::data {

/// The number of bytes from `from` to `to`. These may point into different arrays.
MPI_Aint distance(const std::byte* from, const std::byte* to);

/// A datatype. One element of it at address `memory` covers the memory of the packet.
mpi::Datatype type_of(const Packet& packet, const std::byte* memory);
/// A datatype. One element of it at the start of the source's window covers the data of the packet.
/// `places`: where each segment begins in the window, in bytes.
mpi::Datatype type_of(const Packet& packet, const std::int64_t* places);

/// Calls send_or_receive(address, count, type) for the memory of a packet.
template <class Call>
void with_memory_of(const Packet& packet, Call send_or_receive) {
    if (packet.segments.size() == 1)
        return send_or_receive(packet.segments[0].memory, packet.bytes, MPI_BYTE);
    // Relative to the first segment, not to MPI_BOTTOM: by this address, MPI recognises the memory
    // of a device.
    auto* const first = packet.segments[0].memory;
    const auto type = type_of(packet, first);
    send_or_receive(first, 1, type.get());
}

/// Copies data that stays on the rank. Each piece is a step of progress. Only the first call acts.
void copy_kept(LocalMoves& moves, Progress& progress);

}  // namespace ductile::data
