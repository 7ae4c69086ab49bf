// All parts of a job, for functions that only read them.
#pragma once

#include "broker/group_effects.hpp"
#include "broker/job_groups.hpp"
#include "broker/job_history.hpp"
#include "broker/job_hosts.hpp"
#include "broker/job_ledger.hpp"
#include "broker/job_life.hpp"
#include "broker/job_policy.hpp"
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
    const JobPolicy& policy;
};

/// For the journal.
[[nodiscard]] Snapshot snapshot_of(const JobParts& job);
/// Whether the policy may be asked now, and whether its decision may be carried out now.
[[nodiscard]] bool may_policy_decide(const JobParts& job);
/// For the policy.
[[nodiscard]] policy::JobView policy_view_of(const JobParts& job, const rms::ClusterSeen& seen);
/// The question for the policy; or why it cannot be asked.
[[nodiscard]] std::variant<PolicyQuestion, NoDecision> policy_question(
    const JobParts& job, const rms::SeenCluster& seen);
/// For the planner.
[[nodiscard]] JobView view_of(const JobParts& job);
[[nodiscard]] HostsNow hosts_of(const JobHosts& hosts);
[[nodiscard]] GroupContext group_context(const JobParts& job);
[[nodiscard]] RequestContext request_context(const JobParts& job);
/// For a host whose agent is up: the agent must stay, because processes of the job are there or
/// will be there.
[[nodiscard]] bool is_agent_needed(HostIndex host, const JobGroups& groups,
                                   const RequestQueue& requests, const ResizeSlot& resize,
                                   const HostTable& hosts);
/// For a host without an agent: the job must keep it, because processes of the job may start there.
[[nodiscard]] bool is_idle_host_needed(HostIndex host, const RequestQueue& requests,
                                       const ResizeSlot& resize);
/// The hosts whose agents must end because nobody needs them.
[[nodiscard]] std::vector<HostIndex> idle_hosts(const JobParts& job);
/// The state of a host that a shrink frees.
[[nodiscard]] FreedHosts::Fate fate_of(HostIndex host, const JobParts& job);

}  // namespace ductile::broker
