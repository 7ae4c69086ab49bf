// A process that was started for a job, until it becomes a member.
#pragma once

#include <functional>

#include "ductile/schema.hpp"
#include "engine/agent_channel.hpp"
#include "engine/join_steps.hpp"

namespace ductile::engine {

/// The work of a new process before it is joined with the others.
using OwnWork = std::function<void()>;

/// Forms the new groups, calls `prepare` on a newcomer, joins the sources when the broker says so
/// (unless the job begins with these groups), receives the job's data into `registry`, and waits
/// for the commit. It sleeps without limit: if the resize is given up, the agent ends the newcomer.
/// Throws MpiError or SystemError if the join fails. The process should end then.
Membership become_member(AgentChannel& link, core::GroupId mine, Mailbox& mail,
                         data::Registry& registry, const Schema& schema, const OwnWork& prepare,
                         const MpiCalls& mpi);

}  // namespace ductile::engine
