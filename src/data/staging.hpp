// Parts that the processor or MPI cannot access move through ordinary memory.
#pragma once

#include "data/mover.hpp"

namespace ductile::data {

/// Whether the movement has parts that must move through ordinary memory: MPI cannot access them,
/// or sums of them are needed (`verify`). Local: the answer may differ between ranks.
bool has_staged_parts(const Movement& movement);

/// The movement with these parts replaced by parts in ordinary memory: old parts by copies, new
/// parts by memory without content. Throws what make_block and the program's copy functions throw.
Movement staged(const Movement& movement);

/// A copy, in ordinary memory, of a part that only copy functions can access.
Block near_copy_of(const ArraySpec& spec, const Block& part);

/// Copies new parts from ordinary memory to their homes.
void take_from_stage(const Movement& stage, const Movement& movement);

/// Splits the movement into several: each array in the memory of a device moves alone, because an
/// MPI datatype must not cover memory of different kinds. All ranks split in the same way.
std::vector<Movement> by_memory(const Movement& movement);

}  // namespace ductile::data
