// Joins a newcomer with the program. The newcomer receives the data of the job.
#pragma once

#include "ductile/schema.hpp"
#include "engine/agent_channel.hpp"
#include "engine/join_steps.hpp"

namespace ductile::engine {

/// What a newcomer needs for the join.
struct JoinsWith {
    AgentChannel& link;
    Mailbox& mail;
    data::Registry& registry;  ///< receives the job's data
    const Schema& schema;
    /// Receives the messages that are not for the join.
    const std::function<void(const wire::ToRank&)>& otherwise;
};

/// Runs from the broker's message Join up to the commit, and with tight memory until all data have
/// moved. Waits for the commit without limit.
/// `background`: the program computes meanwhile. Collective over sources and newcomers. Throws
/// MpiError or SystemError if the join fails.
Membership join_job(const JoinSide& side, bool background, const JoinsWith& with,
                    const MpiCalls& mpi);

}  // namespace ductile::engine
