// Redistribution by targets that read the sources' memory: MPI's one-sided calls.
#pragma once

#include <functional>
#include <set>

#include "data/mover.hpp"
#include "mpi/window.hpp"

namespace ductile::data {

/// How a target opens the windows of its sources, and closes them.
struct AccessEpoch {
    using Call = std::function<void(const mpi::Window&, const std::set<core::Rank>& sources)>;
    Call begin, end;
};

/// Each array's old parts are a window of the communicator, out of which the targets get what they
/// need, in pieces; beyond 2^31 places are ordinary. Creating and freeing windows is collective and
/// waits inside MPI, so all ranks say that they are there before (docs/decisions/0021). Each piece
/// that is read is reported to its source, for which it counts as progress.
std::unique_ptr<Mover> make_rma_mover(MoverInputs inputs, AccessEpoch epoch);

/// Locks each source that it needs (MPI_Win_lock, shared).
std::unique_ptr<Mover> make_rma_lock_mover(MoverInputs inputs);
/// Locks all ranks at once (MPI_Win_lock_all).
std::unique_ptr<Mover> make_rma_lockall_mover(MoverInputs inputs);

}  // namespace ductile::data
