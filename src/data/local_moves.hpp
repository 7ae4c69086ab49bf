// What a redistribution does with the memory of one rank, for every executor. No MPI here.
#pragma once

#include <cstddef>
#include <vector>

#include "data/parts.hpp"
#include "plan/slice.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::data {

struct Segment {
    std::byte* memory = nullptr;
    int bytes = 0;
};

/// A message to or from another rank: segments of memory, one after the other.
struct Packet {
    core::Rank peer;
    std::vector<Segment> segments;
    int bytes = 0;  ///< of all segments
};

/// Data that stay on the rank and move to another address.
struct Kept {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
    Home far = nullptr;  ///< the home whose functions copy the data; null: the processor copies
};

struct Departed {
    const std::byte* memory = nullptr;
    std::size_t bytes = 0;
};

struct LocalMoves {
    std::vector<Packet> received;
    std::vector<Packet> sent;
    std::vector<Kept> kept;
    /// For a slice: memory of old parts that is not needed after this slice.
    std::vector<Departed> departed;
    Moved moved;
};

/// How packets are made. Sender and receiver make the same packets.
struct PacketLimits {
    std::int64_t bytes = std::int64_t{64} << 20;
    /// Contiguous memory of at least so many bytes shares no packet with other memory: MPI copies
    /// the data of a packet with several segments.
    std::int64_t alone_from = std::int64_t{64} << 10;
    std::size_t segments = 65536;
    /// A packet of several segments that has so many bytes gets no more.
    std::int64_t together = bytes;
};

/// What rank `me` does for each array, as ranges of elements.
using Plans = std::vector<plan::TransferPlan>;
Plans plans_of(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays);

/// Translates these plans (minimal, see plan/transfer_plan.hpp), or a slice of them, to the memory
/// of rank `me`. Puts the data between two ranks into packets. Both ranks list their packets in the
/// same order, with the same numbers of bytes.
LocalMoves local_moves(core::Rank me, const Plans& plans, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, plan::Slice slice = {},
                       const PacketLimits& limits = {});

}  // namespace ductile::data
