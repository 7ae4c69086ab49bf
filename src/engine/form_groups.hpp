// New groups become one communicator, over the plan's connection rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "engine/agent_channel.hpp"
#include "engine/mailbox.hpp"
#include "mpi/comm.hpp"

namespace ductile::engine {

using OtherMessage = std::function<void(const wire::ToRank&)>;

/// A new process's place in the tree of those who start each other.
struct TreePlace {
    core::TransactionId transaction;
    mpi::Comm parents;                ///< of the group's first rank: with who started it
    bool starts_others = false;       ///< this rank does
    bool has_started_all = false;     ///< and has
    bool is_broken = false;           ///< one of them could not be started
    std::vector<mpi::Comm> children;  ///< with the groups that it has started
};

/// Connects the groups that were started together and puts their ranks in the order of equation (9)
/// of parallel-spawning-strategies. Called by every rank of every new group; between the rounds
/// each sleeps until the broker says ConnectRound. The leader of each group first reports Ready
/// with one port for each round in which it accepts (the papers' race); the leaders of merged sets
/// report RoundDone. With a `tree` they hear of each other along it, and the broker says nothing.
/// What else comes meanwhile goes to `otherwise`. Throws MpiError when a peer is lost; the process
/// is then of no use and should end.
mpi::Comm form_groups(const std::vector<core::Group>& added, core::GroupId mine, AgentChannel& link,
                      Mailbox& mail, const OtherMessage& otherwise, TreePlace* tree = nullptr);

}  // namespace ductile::engine
