#include "broker/job_status_json.hpp"

#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>

#include "broker/job_options_json.hpp"

namespace ductile::broker {

namespace {

// The options as given, with the limits that the program's code has set since.
nlohmann::json options_of(const JobParts& job) {
    auto all = job.spec.options;
    const auto& limits = job.requests.limits();
    all["min"] = as_option(limits.min);
    all["max"] = as_option(limits.max);
    all["preferred"] = as_option(limits.preferred);
    all["multiple"] = as_option(limits.multiple);
    all["inhibitor-points"] = as_option(limits.inhibitor_points);
    all["inhibitor"] = as_option(limits.inhibitor_s);
    return to_json(all);
}

nlohmann::json json_of(const core::RankRange& range, const JobHosts& hosts) {
    return {{"group", range.group.value},
            {"host", hosts.name(range.host)},
            {"first", range.first.value},
            {"ranks", range.ranks}};
}

nlohmann::json layout_of(const JobParts& job) {
    auto active = nlohmann::json::array(), parked = nlohmann::json::array();
    int first_rank = 0;
    for (const auto& range : job.ledger.layout().active) {
        active.push_back(json_of(range, job.hosts));
        active.back()["first_rank"] = first_rank;
        first_rank += range.ranks;
    }
    for (const auto& range : job.ledger.layout().parked)
        parked.push_back(json_of(range, job.hosts));
    return {{"active", std::move(active)}, {"parked", std::move(parked)}};
}

// The ranks of a world that are still in the job, and their hosts.
nlohmann::json json_of(core::GroupId group, const JobParts& job) {
    const auto& layout = job.ledger.layout();
    std::map<core::HostIndex, int> on_host;
    int parked = 0;
    std::optional<core::Rank> first_rank;
    for (const auto& range : layout.active) {
        if (range.group != group) continue;
        on_host[range.host] += range.ranks;
        if (!first_rank) first_rank = layout.rank_of({group, range.first});
    }
    for (const auto& range : layout.parked)
        if (range.group == group) parked += range.ranks;
    auto hosts = nlohmann::json::array();
    int ranks = 0;
    for (const auto& [host, count] : on_host) {
        hosts.push_back({{"host", job.hosts.name(host)}, {"ranks", count}});
        ranks += count;
    }
    return {{"id", group.value},
            {"ranks", ranks},
            {"parked", parked},
            {"first_rank", first_rank ? nlohmann::json(first_rank->value) : nlohmann::json()},
            {"hosts", std::move(hosts)}};
}

nlohmann::json hosts_json(const JobParts& job) {
    auto hosts = nlohmann::json::array();
    const auto revoked = job.hosts.table().revoked();
    const auto& all = job.hosts.table().state().hosts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::holds_alternative<host::Released>(all[i].state)) continue;
        const core::HostIndex host{static_cast<int>(i)};
        const auto given_back = job.ledger.given_back().find(host);
        hosts.push_back(
            {{"name", all[i].host.name},
             {"slots", all[i].host.slots},
             {"given_back", given_back == job.ledger.given_back().end() ? 0 : given_back->second},
             {"ranks", job.ledger.layout().ranks_on(host)},
             {"parked", job.ledger.layout().parked_on(host)},
             {"agent", job.hosts.agents().has(host)}});
        if (const auto found = revoked.find(host); found != revoked.end())
            hosts.back()["taken_back_in_s"] =
                std::chrono::duration<double>(found->second - wall_time()).count();
    }
    return hosts;
}

nlohmann::json policy_json(const JobPolicy& policy) {
    auto decisions = nlohmann::json::array();
    for (const auto& one : policy.records()) {
        decisions.push_back({{"number", one.number},
                             {"first_s", one.first_s},
                             {"last_s", one.last_s},
                             {"times", one.times},
                             {"ranks", one.ranks},
                             {"why", one.decision.why}});
        auto& json = decisions.back();
        if (one.decision.ranks) json["to"] = *one.decision.ranks;
        if (one.decision.for_job) json["for_job"] = one.decision.for_job->value;
        if (!one.outcome.empty()) json["outcome"] = one.outcome;
    }
    return {{"name", policy.name()}, {"decisions", std::move(decisions)}};
}

}  // namespace

std::string status_of(const JobParts& job) {
    auto groups = nlohmann::json::array();
    for (const auto group : job.ledger.layout().groups()) groups.push_back(json_of(group, job));
    nlohmann::json result{{"job", job.spec.id},
                          {"state", job.life.name()},
                          {"program", job.spec.launch.program},
                          {"mpi", job.spec.mpi.implementation + " " + job.spec.mpi.version},
                          {"ranks", job.ledger.layout().size()},
                          {"parked", job.ledger.layout().parked_size()},
                          {"degraded", job.ledger.health() != Health::good},
                          {"health", to_string(job.ledger.health())},
                          {"groups", std::move(groups)},
                          {"layout", layout_of(job)},
                          {"hosts", hosts_json(job)},
                          {"groups_ever", job.ledger.next_group()},
                          {"resizes", job.history.resizes()},
                          {"waiting", job.requests.queue().size()},
                          {"options", options_of(job)},
                          {"broker_pid", ::getpid()},
                          {"running_s", job.history.seconds()}};
    result["points"] = job.history.points().value_or(0);
    if (job.history.point_s() > 0) result["point_s"] = job.history.point_s();
    if (const auto since = job.history.seconds_since_point()) result["since_point_s"] = *since;
    if (job.policy.is_on()) result["policy"] = policy_json(job.policy);
    if (const auto& awaiting = job.requests.queue().awaiting())
        result["asked_hosts"] = awaiting->hosts;
    if (job.resize.is_resizing()) {
        const auto& plan = job.resize->operation.plan();
        result["pending"] = {{"transaction", plan.id.value},
                             {"phase", job.resize->operation.phase()},
                             {"from", plan.before.size()},
                             {"to", plan.after.size()}};
    }
    return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ductile::broker
