// Readiness and ports of new groups, up and down the tree of those who started them
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

/// Waits, asleep, until the request is complete; false when it is given up, in which case its
/// buffer must live on.
using WaitFor = std::function<bool(MPI_Request&)>;

/// How messages of a resize are sent: no other one's are taken for them, though its
/// communicators are in nobody's use any more and theirs have got the same numbers.
struct TreeWay {
    core::TransactionId of;
    WaitFor wait;
};

/// What all groups below have said, which is when all of them are ready: from the first rank of
/// each group that this process has started. Nothing when it was given up. Throws MpiError.
std::optional<plan::PortTable> hear_children(const std::vector<mpi::Comm>& children,
                                             const TreeWay& way);
/// All groups are ready, and these are their ports. False when it was given up.
bool tell_children(const std::vector<mpi::Comm>& children, const plan::PortTable& ports,
                   const TreeWay& way);

/// Of a group: what its ranks have heard from their children goes up to those who started it; gives
/// what comes down, on every rank. `parents`: the intercommunicator with who started it, of its
/// first rank. Collective over `group`. Precondition: `way.wait` gives nothing up.
plan::PortTable share_with_parents(const mpi::Comm& group, const mpi::Comm& parents,
                                   const plan::PortTable& mine, const TreeWay& way);

/// Among the sources that have started groups (`peers`: their ranks in `sources`, rising): all that
/// they have heard. Collective over the peers alone. Nothing when it was given up.
std::optional<plan::PortTable> share_among_sources(const mpi::Comm& sources,
                                                   const std::vector<core::Rank>& peers,
                                                   const plan::PortTable& mine, const TreeWay& way);

}  // namespace ductile::engine
