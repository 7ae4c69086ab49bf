// Requests for hosts, from the need to the last answer.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "broker/host_steps.hpp"
#include "core/counted.hpp"

namespace ductile::broker {

namespace {

using core::HostIndex;

OpenRequest* find_request(HostTableState& table, rms::RequestId id) {
    const auto it = std::ranges::find(table.requests, id, &OpenRequest::id);
    return it == table.requests.end() ? nullptr : &*it;
}

void forget(HostTableState& table, rms::RequestId id) {
    std::erase_if(table.requests, [&](const OpenRequest& request) { return request.id == id; });
}

HostNeed cancel(HostStep& step, OpenRequest& request) {
    step.out.push_back(CancelRequest{request.id});
    return std::get<Waiting>(std::exchange(request.state, Cancelled{})).need;
}

std::vector<HostIndex> reserved_for(const HostTableState& table, rms::RequestId request) {
    std::vector<HostIndex> hosts;
    for (std::size_t i = 0; i < table.hosts.size(); ++i)
        if (table.hosts[i].state == host::State{host::Reserved{request}})
            hosts.push_back(HostIndex{static_cast<int>(i)});
    return hosts;
}

int missing(const HostTableState& table, rms::RequestId request, const HostNeed& need) {
    return need.request.hosts - static_cast<int>(reserved_for(table, request).size());
}

bool is_allowed(const core::Host& host, const rms::HostConstraints& constraints) {
    return host.slots >= constraints.min_slots &&
           std::ranges::find(constraints.exclude, host.name) == constraints.exclude.end();
}

/// Which of the granted hosts the job uses: all if the request is complete. If only a part was
/// granted, `need.part` says how many slots the job can use, and the job uses the first hosts that
/// have so many slots together. Empty if a part is of no use.
std::vector<HostIndex> part_of_use(const HostStep& step, const std::vector<HostIndex>& hosts,
                                   const HostNeed& need) {
    if (static_cast<int>(hosts.size()) >= need.request.hosts) return hosts;
    if (!need.part) return {};
    int slots = 0;
    for (const auto host : hosts) slots += step.at(host).host.slots;
    const int wanted = need.part->most_of(slots);
    std::vector<HostIndex> first;
    for (int taken = 0; taken < wanted; taken += step.at(first.back()).host.slots)
        first.push_back(hosts.at(first.size()));
    return first;
}

/// Ends the wait for hosts: the job uses the granted hosts that are of use, and frees the others.
void conclude(HostStep& step, rms::RequestId request, const HostNeed& need,
              const std::string& reason) {
    const auto hosts = reserved_for(step.table, request);
    const auto used = part_of_use(step, hosts, need);
    for (const auto host : used) step.at(host).state = host::Idle{};
    for (auto it = hosts.begin() + static_cast<std::ptrdiff_t>(used.size()); it != hosts.end();
         ++it)
        step.set_free(*it, host::Idle{});
    if (used.empty())
        step.out.push_back(HostsDenied{need.wanted_by, reason});
    else
        step.out.push_back(HostsReady{need.wanted_by, used});
}

/// Whether this grant is a repetition: the job has the host, or the host was granted before. If the
/// request waits, only a grant for this request counts. If the request is over (`request` is null),
/// a grant for this request or for a later one counts. If the request is cancelled and not over,
/// no earlier grant counts.
bool is_repetition(const KnownHost& known, HostIndex host, const OpenRequest* request,
                   rms::RequestId id) {
    if (!std::holds_alternative<host::Released>(known.state)) return true;
    if (request == nullptr) return id <= known.granted_by;
    const auto* waiting = std::get_if<Waiting>(&request->state);
    return waiting != nullptr && waiting->granted.contains(host);
}

/// Records a granted host and returns its id: a new id, unless the job had the host before.
HostIndex record(HostTableState& table, const core::Host& host, rms::RequestId id) {
    if (const auto before = find_host(table, host.name)) {
        auto& known = table.hosts[static_cast<std::size_t>(before->value)];
        known = {host, std::max(known.granted_by, id), host::Reserved{id}, known.failed};
        return *before;
    }
    table.hosts.push_back({host, id, host::Reserved{id}});
    return HostIndex{static_cast<int>(table.hosts.size()) - 1};
}

void take(HostStep& step, OpenRequest* request, rms::RequestId id, const core::Host& host) {
    const auto before = find_host(step.table, host.name);
    if (before && is_repetition(step.at(*before), *before, request, id)) return;
    auto* waiting = request != nullptr ? std::get_if<Waiting>(&request->state) : nullptr;
    const bool wanted = waiting != nullptr && missing(step.table, id, waiting->need) > 0 &&
                        is_allowed(host, waiting->need.request.constraints);
    const auto index = record(step.table, host, id);
    if (waiting != nullptr) waiting->granted.insert(index);
    if (!wanted) step.set_free(index, host::Idle{});
}

/// Replaces a request by a new one, which keeps the granted hosts and requests the missing ones.
void replace(HostStep& step, rms::RequestId old) {
    const auto reserved = reserved_for(step.table, old);
    auto need = std::get<Waiting>(find_request(step.table, old)->state).need;
    forget(step.table, old);
    const rms::RequestId id{step.table.next_request++};
    for (const auto host : reserved) step.at(host).state = host::Reserved{id};
    step.table.requests.push_back({id, Waiting{need, {reserved.begin(), reserved.end()}}});
    need.request.hosts = missing(step.table, id, need);
    step.out.push_back(AskHosts{id, need.request});
}

std::string too_few(const HostTableState& table, rms::RequestId request, const HostNeed& need,
                    const char* when) {
    const int hosts = need.request.hosts;
    const int slots = need.request.constraints.min_slots;
    const int granted = hosts - missing(table, request, need);
    return fmt::format(
        "{}{} {} granted{}",
        granted == 0 ? "no host" : fmt::format("{} of {}", granted, core::counted(hosts, "host")),
        slots > 1 ? fmt::format(" with at least {} slots (--ranks-per-host)", slots) : "",
        granted == 0 || hosts == 1 ? "was" : "were", when);
}

}  // namespace

void apply(HostStep& step, const HostsWanted& wanted) {
    if (step.table.ending) {
        step.out.push_back(HostsDenied{wanted.need.wanted_by, "the job is ending"});
        return;
    }
    const rms::RequestId id{step.table.next_request++};
    step.table.requests.push_back({id, Waiting{wanted.need, {}}});
    step.out.push_back(AskHosts{id, wanted.need.request});
}

void apply(HostStep& step, const HostsWithdrawn& withdrawn) {
    cancel_requests(step,
                    [&](const HostNeed& need) { return need.wanted_by == withdrawn.wanted_by; });
}

void apply(HostStep& step, const rms::Granted& granted) {
    auto* request = find_request(step.table, granted.id);
    for (const auto& host : granted.hosts) take(step, request, granted.id, host);
    if (request == nullptr) return;
    if (const auto* waiting = std::get_if<Waiting>(&request->state)) {
        const auto& need = waiting->need;
        const bool complete = missing(step.table, granted.id, need) == 0;
        if (complete && !granted.last)
            return conclude(step, granted.id, cancel(step, *request), {});
        if (granted.last && !complete && waiting->was_revoked) return replace(step, granted.id);
        if (granted.last)
            conclude(step, granted.id, need,
                     too_few(step.table, granted.id, need, ", and none will follow"));
    }
    if (granted.last) forget(step.table, granted.id);
}

void apply(HostStep& step, const rms::Denied& denied) {
    const auto* request = find_request(step.table, denied.id);
    if (request == nullptr) return;
    if (const auto* waiting = std::get_if<Waiting>(&request->state))
        conclude(step, denied.id, waiting->need, denied.reason);
    forget(step.table, denied.id);
}

void forget_grants_of(HostStep& step, HostIndex host) {
    for (auto& request : step.table.requests)
        if (auto* waiting = std::get_if<Waiting>(&request.state)) waiting->granted.erase(host);
    const auto* reserved = std::get_if<host::Reserved>(&step.at(host).state);
    auto* request = reserved != nullptr ? find_request(step.table, reserved->request) : nullptr;
    if (request == nullptr) return;
    if (auto* waiting = std::get_if<Waiting>(&request->state)) waiting->was_revoked = true;
}

// The cancel comes before the release. In the other order the same request could grant the hosts
// again.
void cancel_requests(HostStep& step, const std::function<bool(const HostNeed&)>& which) {
    for (auto& request : step.table.requests) {
        const auto* waiting = std::get_if<Waiting>(&request.state);
        if (waiting == nullptr || !which(waiting->need)) continue;
        cancel(step, request);
        for (const auto host : reserved_for(step.table, request.id))
            step.set_free(host, host::Idle{});
    }
}

void end_late_requests(HostStep& step, WallTime now) {
    for (auto& request : step.table.requests) {
        const auto* late = std::get_if<Waiting>(&request.state);
        if (late == nullptr || late->need.until > now) continue;
        const auto need = cancel(step, request);
        conclude(step, request.id, need, too_few(step.table, request.id, need, " in time"));
    }
}

void apply(HostStep& step, const rms::Forgotten&) {
    for (auto& request : step.table.requests) {
        auto* waiting = std::get_if<Waiting>(&request.state);
        if (waiting == nullptr) {
            step.out.push_back(CancelRequest{request.id});
            continue;
        }
        const auto reserved = reserved_for(step.table, request.id);
        auto rest = waiting->need.request;
        rest.hosts -= static_cast<int>(reserved.size());
        waiting->granted = {reserved.begin(), reserved.end()};
        step.out.push_back(AskHosts{request.id, rest});
    }
}

}  // namespace ductile::broker
