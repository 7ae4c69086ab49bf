// All parts of a job, for those who only look at them.
#pragma once

#include "broker/group_effects.hpp"
#include "broker/job_groups.hpp"
#include "broker/job_history.hpp"
#include "broker/job_hosts.hpp"
#include "broker/job_ledger.hpp"
#include "broker/job_life.hpp"
#include "broker/job_spec.hpp"
#include "broker/request_effects.hpp"
#include "broker/resize_requests.hpp"
#include "broker/resize_slot.hpp"
#include "broker/snapshot.hpp"

namespace ductile::broker {

struct JobParts {
    const JobSpec& spec;
    const JobLife& life;
    const JobLedger& ledger;
    const JobHosts& hosts;
    const JobHistory& history;
    const JobGroups& groups;
    const ResizeSlot& resize;
    const ResizeRequests& requests;
};

/// For the journal.
[[nodiscard]] Snapshot snapshot_of(const JobParts& job);
/// For the planner.
[[nodiscard]] JobView view_of(const JobParts& job);
[[nodiscard]] HostsNow hosts_of(const JobHosts& hosts);
[[nodiscard]] GroupContext group_context(const JobParts& job);
[[nodiscard]] RequestContext request_context(const JobParts& job);
/// Whose agents are to end: nothing of the job is there, or will be.
[[nodiscard]] std::vector<HostIndex> idle_hosts(const JobParts& job);
/// Of a host that a shrink was to free.
[[nodiscard]] FreedHosts::Fate fate_of(HostIndex host, const JobParts& job);

}  // namespace ductile::broker
