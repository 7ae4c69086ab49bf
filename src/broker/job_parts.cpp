#include "broker/job_parts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "broker/child_hosts.hpp"
#include "broker/requested_hosts.hpp"
#include "plan/launch_plan.hpp"

namespace ductile::broker {

namespace {

RequestContext::Life life_for_requests(const JobLife& life) {
    if (life.is<life::Starting>()) return RequestContext::Life::starting;
    if (life.is<life::Recovering>()) return RequestContext::Life::recovering;
    return life.is<life::Running>() ? RequestContext::Life::running : RequestContext::Life::ending;
}

std::map<HostIndex, HostIndex> machines_of(const AgentPool& agents) {
    std::map<HostIndex, HostIndex> machines;
    std::map<std::string, HostIndex> first;
    for (const auto host : agents.hosts())
        if (const auto* hello = agents.hello(host))
            machines[host] = first.try_emplace(hello->machine, host).first->second;
    return machines;
}

}  // namespace

Snapshot snapshot_of(const JobParts& job) {
    Snapshot now;
    now.stage = job.life.stage();
    now.hosts = job.hosts.table().state();
    now.layout = job.ledger.layout();
    now.given_back = job.ledger.given_back();
    for (const auto& [id, state] : job.groups.table().all())
        now.groups.push_back({state.group, state.launcher_group, state.role});
    const auto& agents = job.hosts.agents();
    for (const auto host : agents.hosts()) now.agents.push_back({host, agents.generation(host)});
    if (job.resize) now.open = job.resize->operation;
    if (job.resize && job.resize->next)
        now.next = KnownRequest{job.resize->next->request, job.resize->next->continues,
                                job.resize->next->only_at_once};
    for (const auto& one : job.requests.queue().waiting())
        now.waiting.push_back({one.request, one.continues, one.only_at_once});
    if (const auto& awaiting = job.requests.queue().awaiting())
        now.awaiting = KnownAwaiting{
            awaiting->asked.request, awaiting->asked.continues,   awaiting->id, awaiting->hosts,
            awaiting->aim,           awaiting->asked.only_at_once};
    now.generations = agents.generations();
    now.next_group = job.ledger.next_group();
    now.mpi_worlds_seen = job.ledger.mpi_worlds_seen();
    now.next_transaction = job.ledger.next_transaction().value;
    now.health = static_cast<int>(job.ledger.health());
    now.exit_code = job.life.exit_code();
    now.end_why = job.life.why().substr(0, wire::limits::text_bytes);
    now.code = job.requests.code_options();
    return now;
}

JobView view_of(const JobParts& job) {
    JobView view;
    view.layout = job.ledger.layout();
    view.allocation = job.hosts.table().lasting();
    view.living = job.hosts.table().dependable();
    view.given_back = job.ledger.given_back();
    view.limits = job.requests.limits();
    view.mpi = job.spec.mpi;
    view.strategy = job.spec.strategy;
    view.automatic = job.spec.automatic;
    view.costs = job.history.costs();
    view.next_group = job.ledger.next_group();
    view.mpi_worlds_seen = job.ledger.mpi_worlds_seen();
    view.health = job.ledger.health();
    return without_slots(std::move(view), slots_of_children(job.groups.table()));
}

bool may_policy_decide(const JobParts& job) {
    return !job.policy.is_suspended(job.history.seconds()) &&
           !why_not_now(job.requests, request_context(job));
}

policy::JobView policy_view_of(const JobParts& job, const rms::ClusterSeen& seen) {
    const auto planned = view_of(job);
    policy::JobView view;
    view.ranks = planned.layout.size();
    for (const auto host : planned.layout.hosts()) {
        const bool is_kept = std::ranges::find(seen.kept, job.hosts.name(host)) != seen.kept.end();
        view.hosts.push_back({planned.layout.ranks_on(host),
                              job.hosts.come_and_go() && !is_kept && !job.spec.mpi.keeps_daemons});
    }
    const auto usable = without_slots(planned, planned.given_back).living;
    for (const int slots : plan::to_start(planned.layout, usable)) view.free_slots += slots;
    view.free_slots += seen.kept_slots;
    view.slots_per_host = slots_of_new_hosts(planned, job.spec.asking.slots);
    view.min = planned.limits.min.value;
    view.max = planned.limits.max.value;
    view.preferred = planned.limits.preferred.value;
    view.multiple = planned.limits.multiple.value;
    view.efficiency = job.history.efficiency().of(planned.layout);
    if (job.spec.power.is_measured) {
        const auto& costs = job.history.point_costs();
        view.point_cost = costs.of(planned.layout.hosts());
        if (const auto gap = costs.gap(planned.layout.hosts()))
            view.no_power =
                "the power of " + job.hosts.name(gap->host) + " is not known: " + gap->why;
    }
    return view;
}

std::variant<PolicyQuestion, NoDecision> policy_question(const JobParts& job,
                                                         const rms::SeenCluster& seen) {
    if (const auto* cannot = std::get_if<rms::CannotSee>(&seen))
        return NoDecision{"the cluster cannot be seen: " + cannot->why};
    const auto& all = std::get<rms::ClusterSeen>(seen);
    return PolicyQuestion{policy_view_of(job, all), all.cluster, job.history.seconds(),
                          std::chrono::duration<double>(job.policy.pause()).count()};
}

HostsNow hosts_of(const JobHosts& hosts) {
    HostsNow now{hosts.table().allocation(), {}, {}, hosts.logical(), machines_of(hosts.agents())};
    for (const auto host : hosts.agents().hosts())
        if (hosts.agents().is_up(host)) now.up.insert(host);
    for (const auto host : hosts.table().idle_hosts())
        if (!hosts.agents().has(host)) now.idle.insert(host);
    now.host_name = [&agents = hosts.agents()](HostIndex host) {
        const auto* hello = agents.hello(host);
        return hello == nullptr ? "" : hello->host_name;
    };
    return now;
}

GroupContext group_context(const JobParts& job) {
    return {job.ledger, hosts_of(job.hosts), job.resize.operation(), os::JobClock::now()};
}

RequestContext request_context(const JobParts& job) {
    const auto& table = job.hosts.table();
    return {life_for_requests(job.life),
            view_of(job),
            job.groups.table(),
            job.resize.operation(),
            {table.allocation(), table.revoked(), table.failed(), job.hosts.come_and_go(),
             table.no_more(), job.hosts.any_finishing(), job.hosts.describe(),
             job.spec.policy.kind == policy::Kind::natural ||
                 job.spec.policy.kind == policy::Kind::site},
            {job.history.seconds_since_resize(), job.history.points_since_resize()},
            job.ledger.next_transaction(),
            wall_time()};
}

bool is_agent_needed(HostIndex host, const JobGroups& groups, const RequestQueue& requests,
                     const ResizeSlot& resize, const HostTable& hosts) {
    if (groups.table().any_on(host)) return true;
    if (requests.keeps(host) && !hosts.revoked().contains(host)) return true;
    // Groups of a blocking resize start there when the program has come to its point.
    return resize.needs(host) && !resize->operation.is_undoing();
}

bool is_idle_host_needed(HostIndex host, const RequestQueue& requests, const ResizeSlot& resize) {
    if (!requests.is_empty()) return true;  // perhaps one of these requests needs the host
    return resize.needs(host) || (resize && resize->next);
}

std::vector<HostIndex> idle_hosts(const JobParts& job) {
    std::vector<HostIndex> idle;
    if (job.spec.mpi.keeps_daemons) return idle;  // the agents are the parents of the daemons
    for (const auto host : job.hosts.agents().hosts())
        if (job.hosts.agents().is_up(host) &&
            !is_agent_needed(host, job.groups, job.requests.queue(), job.resize, job.hosts.table()))
            idle.push_back(host);
    return idle;
}

// A host is free when its agent has gone. The next resize of this job may take the host earlier.
FreedHosts::Fate fate_of(HostIndex host, const JobParts& job) {
    if (job.ledger.layout().ranks_on(host) > 0 || job.resize.needs(host))
        return FreedHosts::Fate::taken;
    if (!job.hosts.agents().has(host)) return FreedHosts::Fate::free;
    return job.spec.mpi.keeps_daemons && !job.groups.table().any_rank_on(host)
               ? FreedHosts::Fate::empty
               : FreedHosts::Fate::busy;
}

}  // namespace ductile::broker
