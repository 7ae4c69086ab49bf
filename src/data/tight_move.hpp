// A redistribution that needs little memory: new parts grow while old parts shrink.
#pragma once

#include <functional>

#include "data/mover.hpp"

namespace ductile::data {

/// How much memory a rank may hold beside the larger of its old and new parts. Memory of MPI, and
/// pages of which only a part has departed, do not count.
inline constexpr std::int64_t window_bytes = std::int64_t{16} << 20;

/// Moves what it gets, as redistribute() does for data of known lengths.
using MoveOnce = std::function<Moved(const Movement&)>;

/// Moves the data in slices (plan/slice.hpp): as many as are needed so that no rank receives more
/// than `window` bytes in one slice. After each slice it gives back the memory of old parts that
/// has departed (data/departed_memory.hpp). So a rank holds at most max(old, new) + window: each
/// slice takes from old parts what it adds to new ones. Collective over the communicator. After the
/// first slice old parts are invalid. Throws what `move` throws, and Abandoned.
Moved move_in_slices(const MoveOnce& move, const mpi::Comm& comm, Movement movement,
                     Progress& progress, std::int64_t window = window_bytes);

}  // namespace ductile::data
