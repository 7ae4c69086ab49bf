// A redistribution that needs little memory: the new parts grow as the old ones go.
#pragma once

#include <functional>

#include "data/mover.hpp"

namespace ductile::data {

/// What a rank may hold beside the larger of its old and its new parts, but for what MPI holds and
/// for pages of which only a part has departed.
inline constexpr std::int64_t window_bytes = std::int64_t{16} << 20;

/// Moves what it is given, as redistribute() does without looking at its lengths.
using MoveOnce = std::function<Moved(const Movement&)>;

/// As many slices (plan/slice.hpp) as it takes that no rank gets more than `window` in
/// one; after each, the memory of old parts that has departed is given back
/// (data/departed_memory.hpp). So a rank holds at most max(old, new) + window: each slice takes
/// from its old parts and adds to its new ones in the same measure. Collective over the
/// communicator. After the first slice old parts are of no use. Throws what `move` throws, and
/// Abandoned.
Moved move_in_slices(const MoveOnce& move, const mpi::Comm& comm, Movement movement,
                     Progress& progress, std::int64_t window = window_bytes);

}  // namespace ductile::data
