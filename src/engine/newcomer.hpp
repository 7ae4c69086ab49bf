// A process that was started for a job, until it is a member.
#pragma once

#include <functional>

#include "ductile/schema.hpp"
#include "engine/agent_channel.hpp"
#include "engine/mailbox.hpp"
#include "engine/membership.hpp"

namespace ductile::engine {

/// What a new process does before it is joined with the others.
using OwnWork = std::function<void()>;

/// Forms the new groups, does `prepare` on a newcomer, joins the sources when the broker says so
/// (unless the job begins with these groups), receives the job's data into `registry`, and waits
/// for the commit: asleep, without limit - a newcomer whose resize is given up is ended by its
/// agent. Throws MpiError or SystemError when the join fails; the process should end then.
Membership become_member(AgentChannel& link, core::GroupId mine, Mailbox& mail,
                         data::Registry& registry, const Schema& schema, const OwnWork& prepare);

}  // namespace ductile::engine
