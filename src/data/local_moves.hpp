// What a redistribution means for one rank's memory, however the bytes travel. No MPI here.
#pragma once

#include <cstddef>
#include <vector>

#include "data/parts.hpp"

namespace ductile::data {

/// Memory that goes to another rank, or comes from it.
struct Piece {
    core::Rank peer;
    std::byte* memory = nullptr;
    int bytes = 0;
};

/// Memory that stays on the rank and changes its place.
struct Kept {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
};

struct LocalMoves {
    std::vector<Piece> received;
    std::vector<Piece> sent;
    std::vector<Kept> kept;
    Moved moved;
};

/// The minimal transfer plan (plan/transfer_plan.hpp) of all arrays, for rank `me`. What moves
/// between two ranks is cut into pieces of `piece_bytes` at most; both ranks list the pieces
/// between them in the same order.
LocalMoves local_moves(core::Rank me, const Parties& parties, const std::vector<Outgoing>& arrays,
                       const std::vector<Block>& new_parts, std::int64_t piece_bytes);

}  // namespace ductile::data
