// What the program moves itself at a resize.
#pragma once

#include "data/parts.hpp"
#include "data/progress.hpp"
#include "engine/agent_channel.hpp"
#include "engine/hooks.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// The program's calls of on_redistribute alone, which tell the broker when they begin and when
/// they have ended, or failed: it knows how long that may take. Only for as long as `link` lives.
Schema telling_moves(const Schema& schema, AgentChannel& link, core::TransactionId transaction);

/// Makes the program's calls. Collective over `comm`, which holds the parties, as far as the calls
/// are. Throws ProgramFailed. `progress`: of who makes them for the program's thread.
void let_program_move(const Schema& schema, const mpi::Comm& comm, const data::Parties& parties,
                      const data::Progress* progress = nullptr);

/// Within such a call, on its thread: whether nobody waits for it any more.
[[nodiscard]] bool program_move_is_abandoned();

}  // namespace ductile::engine
