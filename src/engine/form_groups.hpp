// Connects new groups into one communicator, in the connection rounds of the plan.
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

/// The place of a new process in the tree of processes that start each other.
struct TreePlace {
    core::TransactionId transaction;
    mpi::Comm parents;  ///< on the group's first rank: to the processes that started the group
    bool starts_others = false;             ///< this rank starts other groups
    bool has_started_all = false;           ///< this rank has started all its groups
    bool is_broken = false;                 ///< a group could not be started
    std::vector<mpi::SharedComm> children;  ///< to the groups that this rank has started
};

/// The group of this process.
struct OwnGroup {
    core::GroupId id;
    mpi::Comm comm;  ///< of its ranks
};

/// Connects the groups that were started together. Orders their ranks as equation (9) of
/// parallel-spawning-strategies says. Every rank of every new group calls this. Between rounds each
/// rank sleeps until the broker sends ConnectRound. The leader of each group first reports Ready,
/// with one port for each round in which it accepts (this avoids a race of the papers' method). The
/// leaders of merged sets report RoundDone. With a `tree` the groups exchange ports along the tree:
/// there is no ConnectRound and no RoundDone. Other messages go to `otherwise`. Throws MpiError if
/// a peer is lost. The process is then useless and should end.
mpi::Comm form_groups(const std::vector<core::Group>& added, OwnGroup mine, AgentChannel& link,
                      Mailbox& mail, const OtherMessage& otherwise, TreePlace* tree = nullptr);

}  // namespace ductile::engine
