// Redistribution by messages from each source to each of its targets.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// Carries out the minimal transfer plan by point-to-point messages. It cuts them into pieces, so
/// that counts beyond 2^31 work and progress is visible.
std::unique_ptr<Mover> make_p2p_mover(MoverInputs inputs);

}  // namespace ductile::data
