// Redistribution by messages from each source to each of its targets.
#pragma once

#include "data/redistribution.hpp"

namespace ductile::data {

/// Carries the minimal transfer plan out by point-to-point messages. They are cut into pieces, so
/// that counts beyond 2^31 are ordinary and progress is seen.
std::unique_ptr<Redistribution> make_p2p_redistribution(const mpi::Comm& comm, Movement movement,
                                                        Progress& progress);

}  // namespace ductile::data
