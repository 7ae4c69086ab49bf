// What the program moves itself at a resize.
#pragma once

#include "data/parts.hpp"
#include "engine/hooks.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// Makes the program's calls. Collective over `comm`, which holds the parties, as far as the calls
/// are. Throws ProgramFailed.
void let_program_move(const Schema& schema, const mpi::Comm& comm, const data::Parties& parties);

}  // namespace ductile::engine
