// A process that was started for a job, until it is a member.
#pragma once

#include "engine/agent_channel.hpp"
#include "engine/mailbox.hpp"
#include "engine/membership.hpp"

namespace ductile::engine {

/// Forms the new groups, joins the sources when the broker says so (unless the job begins with
/// these groups), receives the job's data into `registry`, and waits for the commit: asleep,
/// without limit - a newcomer whose resize is given up is ended by its agent. Throws MpiError or
/// SystemError when the join fails; the process should end then.
Membership become_member(AgentChannel& link, core::GroupId mine, Mailbox& mail,
                         data::Registry& registry);

}  // namespace ductile::engine
