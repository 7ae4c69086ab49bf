// Parts that the processor or the MPI cannot touch move by way of ordinary memory.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// A rank has such parts in it.
bool has_staged_parts(const Movement& movement);

/// The same movement with all parts in ordinary memory: copies of old parts, and new ones to be
/// filled. Throws what make_block and the program's copy functions throw.
Movement staged(const Movement& movement);

/// Copies new parts to where they are to lie.
void take_from_stage(const Movement& stage, const Movement& movement);

}  // namespace ductile::data
