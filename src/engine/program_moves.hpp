// Data that the program itself moves at a resize.
#pragma once

#include "data/parts.hpp"
#include "data/progress.hpp"
#include "engine/agent_channel.hpp"
#include "engine/hooks.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

/// A schema with only the program's calls of on_redistribute. They tell the broker when they begin,
/// and when they end or fail: the broker limits the time of these calls. `link` must outlive the
/// schema.
Schema telling_moves(const Schema& schema, AgentChannel& link, core::TransactionId transaction);

/// Makes the program's calls. `comm` holds the parties. Collective over `comm` if the calls are.
/// Throws ProgramFailed. `progress`: of a helper that makes the calls for the program's thread.
void let_program_move(const Schema& schema, const mpi::Comm& comm, const data::Parties& parties,
                      const data::Progress* progress = nullptr);

/// To be called inside one of the program's calls, on the same thread: whether nobody waits for the
/// call any more.
[[nodiscard]] bool program_move_is_abandoned();

}  // namespace ductile::engine
