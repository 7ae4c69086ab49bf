// The effects of a job's groups, which the broker carries out. Pure data.
#pragma once

#include <variant>
#include <vector>

#include "broker/failure_classifier.hpp"
#include "broker/group_context.hpp"
#include "broker/host_order.hpp"
#include "broker/shared_effects.hpp"

namespace ductile::broker {

/// The program starts a group of its own. The group gets the next id. The broker writes this to the
/// journal before it sends the orders that follow.
struct ChildrenBegin {};

/// Start an agent on an idle host, with this run in its bootstrap.
struct StartAgent {
    core::HostIndex host;
    wire::StartRun run;
};

/// The broker carries these out in order. The failure classifier judges each RankEnd and PartEnd.
using GroupEffect =
    std::variant<HostOrder, TellResize, NotifyUser, ChildrenBegin, StartAgent, RankEnd, PartEnd>;
using GroupEffects = std::vector<GroupEffect>;

}  // namespace ductile::broker
