// What a job's groups hear of the rest of the job, and what they have done. Pure data.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "broker/failure_classifier.hpp"
#include "broker/host_order.hpp"
#include "broker/job_ledger.hpp"
#include "core/allocation.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

/// The hosts of a job, as its groups need to know them.
struct HostsNow {
    core::Allocation allocation;
    std::set<core::HostIndex> up;    ///< their agents hear orders
    std::set<core::HostIndex> idle;  ///< have no agent, and may be used
    bool one_machine = false;        ///< logical hosts: all of them are one
};

/// What a job's groups depend on, and do not own.
struct GroupContext {
    const JobLedger& ledger;
    HostsNow hosts;
    const resize::ResizeOperation* open = nullptr;  ///< the resize that is open
    std::chrono::steady_clock::time_point time{};

    [[nodiscard]] bool is_newcomer(core::GroupId group) const {
        return open != nullptr && open->is_newcomer(group);
    }
    [[nodiscard]] bool is_added(core::GroupId group) const {
        return open != nullptr && open->is_added(group);
    }
};

struct TellResize {
    resize::Event event;
};
struct NotifyUser {
    std::string text;
};
/// The program has a group of its own from now on, with the next id. The journal is to know it
/// before the orders that follow are sent.
struct ChildrenBegin {};

/// An agent is to be started on an idle host, with this run in its bootstrap.
struct StartAgent {
    core::HostIndex host;
    wire::StartRun run;
};

/// To be carried out in this order. A RankEnd or PartEnd is to be judged by the failure classifier.
using GroupEffect =
    std::variant<HostOrder, TellResize, NotifyUser, ChildrenBegin, StartAgent, RankEnd, PartEnd>;
using GroupEffects = std::vector<GroupEffect>;

}  // namespace ductile::broker
