// New groups become one communicator, over the plan's connection rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "engine/agent_link.hpp"
#include "engine/mailbox.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

using OtherMessage = std::function<void(const wire::ToRank&)>;

/// Connects the groups that were started together and puts their ranks in the order of equation (9)
/// of parallel-spawning-strategies. Called by every rank of every new group; between the rounds
/// each sleeps until the broker says Meet. The leader of each group first reports Ready with one
/// port for each round in which it accepts (the papers' race); the leaders of merged sets report
/// RoundDone, and rank 0 of the whole Formed. What else comes meanwhile goes to `otherwise`. Throws
/// MpiError when a peer is lost; the process is then of no use and should end.
mpi::Comm form_groups(const std::vector<core::Group>& added, core::GroupId mine, AgentLink& link,
                      Mailbox& mail, const OtherMessage& otherwise);

}  // namespace ductile::engine
