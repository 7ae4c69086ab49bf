// What a job's groups need to know of the rest of the job. Pure data.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "broker/job_ledger.hpp"
#include "core/allocation.hpp"
#include "os/job_clock.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

/// The hosts of a job, as its groups need to know them.
struct HostsNow {
    core::Allocation allocation;
    std::set<core::HostIndex> up;    ///< their agents are connected and receive orders
    std::set<core::HostIndex> idle;  ///< they have no agent, and may be used
    bool one_machine = false;        ///< logical hosts: all of them are on one machine
    /// For each host whose agent has said hello: the first of these hosts on the same machine.
    std::map<core::HostIndex, core::HostIndex> machines = {};
    /// What gethostname says on a host, which MPI_Get_processor_name returns; empty if not known.
    std::function<std::string(core::HostIndex)> host_name = {};
};

/// What a job's groups depend on, but do not own.
struct GroupContext {
    const JobLedger& ledger;
    HostsNow hosts;
    const resize::ResizeOperation* open = nullptr;  ///< the open resize
    os::JobClock::time_point time{};

    [[nodiscard]] bool is_newcomer(core::GroupId group) const {
        return open != nullptr && open->is_newcomer(group);
    }
    [[nodiscard]] bool is_added(core::GroupId group) const {
        return open != nullptr && open->is_added(group);
    }
};

}  // namespace ductile::broker
