// Redistribution by messages from each source to each of its targets.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// Carries the minimal transfer plan out by point-to-point messages. They are cut into pieces, so
/// that counts beyond 2^31 are ordinary and progress is seen.
std::unique_ptr<Mover> make_p2p_mover(MoverInputs inputs);

}  // namespace ductile::data
