// Passes readiness and ports of new groups up and down the tree of the processes that started them
// (parallel-spawning-strategies, section 4.3 and Listing 1).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "mpi/comm.hpp"
#include "plan/port_table.hpp"

namespace ductile::engine {

/// Sleeps until the request is complete. False if it is given up: its buffer must then live on.
using WaitFor = std::function<bool(MPI_Request&)>;

/// How the messages of a resize are sent. Each resize has tags of its own: a later resize may get
/// communicators with the same numbers, and must not receive messages of an earlier one.
struct TreeExchange {
    core::TransactionId of;
    WaitFor wait;
};

/// Returns the ports of all groups below, when all of them are ready. Receives from the first rank
/// of each group that this process has started. Nothing if it was given up. Throws MpiError.
std::optional<plan::PortTable> hear_children(const std::vector<mpi::SharedComm>& children,
                                             const TreeExchange& exchange);
/// Tells the children that all groups are ready, and their ports. False if it was given up.
bool tell_children(const std::vector<mpi::SharedComm>& children, const plan::PortTable& ports,
                   const TreeExchange& exchange);

/// In a group: sends what its ranks have heard from their children up to the processes that started
/// the group. Returns on every rank what comes down. `parents`: the first rank's intercommunicator
/// with those processes. Collective over `group`. Precondition: `exchange.wait` gives nothing up.
plan::PortTable share_with_parents(const mpi::Comm& group, const mpi::Comm& parents,
                                   const plan::PortTable& mine, const TreeExchange& exchange);

/// Among the sources that have started groups (`peers`: their ranks in `sources`, rising): returns
/// all that they have heard. Collective over the peers only. Nothing if it was given up.
std::optional<plan::PortTable> share_among_sources(const mpi::Comm& sources,
                                                   const std::vector<core::Rank>& peers,
                                                   const plan::PortTable& mine,
                                                   const TreeExchange& exchange);

}  // namespace ductile::engine
