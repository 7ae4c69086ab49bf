// What a redistribution means for one rank's memory, however the bytes travel. No MPI here.
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

/// A message to another rank, or from it: segments of memory, one after the other.
struct Packet {
    core::Rank peer;
    std::vector<Segment> segments;
    int bytes = 0;  ///< in all
};

/// Memory that stays on the rank and changes its place.
struct Kept {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
};

struct Departed {
    const std::byte* memory = nullptr;
    std::size_t bytes = 0;
};

struct LocalMoves {
    std::vector<Packet> received;
    std::vector<Packet> sent;
    std::vector<Kept> kept;
    /// Of a slice: memory of old parts of which all has left with it, and with those before it.
    std::vector<Departed> departed;
    Moved moved;
};

/// How packets are made. Both ranks make the same ones.
struct PacketLimits {
    std::int64_t bytes = std::int64_t{64} << 20;
    /// A transfer of so many bytes or more is not put into one packet with others: MPI copies what
    /// lies in several places.
    std::int64_t alone_from = std::int64_t{64} << 10;
    std::size_t segments = 65536;
};

/// What rank `me` has to do for each array, element by element.
using Plans = std::vector<plan::TransferPlan>;
Plans plans_of(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays);

/// These plans, which are minimal (plan/transfer_plan.hpp), or this slice of them, in the memory of
/// rank `me`. What moves between two ranks is put into packets; both ranks list the packets between
/// them in the same order, with as many bytes.
LocalMoves local_moves(core::Rank me, const Plans& plans, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, plan::Slice slice = {},
                       const PacketLimits& limits = {});

}  // namespace ductile::data
