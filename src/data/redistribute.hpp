// Moves the parts of distributed arrays from the sources to the targets of a resize.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "data/block.hpp"
#include "data/progress.hpp"
#include "mpi/comm.hpp"

namespace ductile::data {

/// Who holds the parts before and after, as ranks of the communicator over which they move. Both
/// lists rise.
struct Parties {
    std::vector<core::Rank> sources;
    std::vector<core::Rank> targets;
};

/// What a redistribution moved on this rank.
struct Moved {
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_new = 0;  ///< allocated for new parts: the peak of extra memory
};

/// One array to move: its spec, and this rank's old part (no memory on a rank that held none).
struct Outgoing {
    ArraySpec spec;
    Block old_part;
};

/// Memory for this rank's new parts, in the order of `arrays`; blocks without memory on a rank that
/// is no target. Local: made before anything moves, so that a lack of memory is known while the job
/// can still go on as it is.
std::vector<Block> allocate_parts(core::Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays);

/// Point-to-point executor of the minimal transfer plan (plan/transfer_plan.hpp). Collective over
/// the sources and targets; `arrays` is the same list on all of them but for the memory;
/// `new_parts` is from allocate_parts. Old parts are only read. Messages are cut into pieces so
/// that counts beyond 2^31 are ordinary and progress is seen. Blocks until this rank's part is
/// done; throws MpiError, or Abandoned.
Moved redistribute_p2p(const mpi::Comm& comm, const Parties& parties,
                       const std::vector<Outgoing>& arrays, const std::vector<Block>& new_parts,
                       Progress& progress);

}  // namespace ductile::data
