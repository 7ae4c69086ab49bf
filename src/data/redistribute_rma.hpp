// Redistribution by one-sided calls of MPI: the targets read the memory of the sources.
#pragma once

#include <functional>
#include <set>

#include "data/mover.hpp"
#include "mpi/window.hpp"

namespace ductile::data {

/// All locks are shared, so MPI need not check them (MPI-5.0, section 12.5.5). So nothing is sent
/// to lock or unlock a rank, which may be dead.
inline constexpr int nobody_locks_otherwise = MPI_MODE_NOCHECK;

/// How a target opens and closes the windows of its sources.
struct AccessEpoch {
    using Call = std::function<void(const mpi::Window&, const std::set<core::Rank>& sources)>;
    Call begin, end;
};

/// The old parts of each array are a window of the communicator. The targets read from it in
/// pieces. Offsets beyond 2^31 work. Creating and freeing windows is collective and waits inside
/// MPI, so all ranks first say that they are there (docs/decisions/0022). After each piece that it
/// has read, a target sends a message to the source. For the source this counts as progress.
std::unique_ptr<Mover> make_rma_mover(MoverInputs inputs, AccessEpoch epoch);

/// Locks each source from which it reads (MPI_Win_lock, shared).
std::unique_ptr<Mover> make_rma_lock_mover(MoverInputs inputs);
/// Locks all ranks by one call (MPI_Win_lock_all).
std::unique_ptr<Mover> make_rma_lockall_mover(MoverInputs inputs);

}  // namespace ductile::data
