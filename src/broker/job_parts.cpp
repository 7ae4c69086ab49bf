#include "broker/job_parts.hpp"

#include <utility>

#include "broker/child_spawns.hpp"
#include "broker/requested_hosts.hpp"

namespace ductile::broker {

namespace {

RequestContext::Life life_for_requests(const JobLife& life) {
    if (life.is<life::Starting>()) return RequestContext::Life::starting;
    if (life.is<life::Recovering>()) return RequestContext::Life::recovering;
    return life.is<life::Running>() ? RequestContext::Life::running : RequestContext::Life::ending;
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
        now.next = KnownRequest{job.resize->next->request, job.resize->next->continues};
    for (const auto& one : job.requests.queue().waiting())
        now.waiting.push_back({one.request, one.continues});
    if (const auto& awaiting = job.requests.queue().awaiting())
        now.awaiting = KnownAwaiting{awaiting->asked.request, awaiting->asked.continues,
                                     awaiting->id, awaiting->hosts, awaiting->aim};
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

HostsNow hosts_of(const JobHosts& hosts) {
    HostsNow now{hosts.table().allocation(), {}, {}, hosts.logical()};
    for (const auto host : hosts.agents().hosts())
        if (hosts.agents().is_up(host)) now.up.insert(host);
    for (const auto host : hosts.table().idle_hosts())
        if (!hosts.agents().has(host)) now.idle.insert(host);
    return now;
}

GroupContext group_context(const JobParts& job) {
    return {job.ledger, hosts_of(job.hosts), job.resize.operation(),
            std::chrono::steady_clock::now()};
}

RequestContext request_context(const JobParts& job) {
    const auto& table = job.hosts.table();
    return {life_for_requests(job.life),
            view_of(job),
            job.groups.table(),
            job.resize.operation(),
            {table.allocation(), table.revoked(), table.failed(), job.hosts.come_and_go(),
             table.no_more(), job.hosts.any_finishing(), job.hosts.describe()},
            {job.history.seconds_since_resize(), job.history.points_since_resize()},
            job.ledger.next_transaction(),
            wall_time()};
}

std::vector<HostIndex> idle_hosts(const JobParts& job) {
    std::vector<HostIndex> idle;
    if (job.spec.mpi.keeps_daemons) return idle;  // of which the agents are the parents
    for (const auto host : job.hosts.agents().hosts()) {
        if (job.groups.table().any_on(host) || !job.hosts.agents().is_up(host)) continue;
        const bool is_revoked = job.hosts.table().revoked().contains(host);
        if (job.requests.queue().keeps(host) && !is_revoked) continue;
        // Groups of a blocking resize start there once the program has come to its point.
        if (job.resize.needs(host) && !job.resize->operation.is_undoing()) continue;
        idle.push_back(host);
    }
    return idle;
}

// A host is given back when its agent has gone, or, by this job, to the next resize, which may take
// it before that.
FreedHosts::Fate fate_of(HostIndex host, const JobParts& job) {
    if (job.ledger.layout().ranks_on(host) > 0 || job.resize.needs(host))
        return FreedHosts::Fate::taken;
    if (!job.hosts.agents().has(host)) return FreedHosts::Fate::free;
    return job.spec.mpi.keeps_daemons && !job.groups.table().any_rank_on(host)
               ? FreedHosts::Fate::empty
               : FreedHosts::Fate::busy;
}

}  // namespace ductile::broker
