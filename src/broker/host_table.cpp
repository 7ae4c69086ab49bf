#include "broker/host_table.hpp"

#include <algorithm>

#include "broker/host_steps.hpp"

namespace ductile::broker {

namespace {

using namespace host;

std::optional<WallTime> must_go(const State& state) {
    if (const auto* starting = std::get_if<Starting>(&state)) return starting->must_go;
    if (const auto* up = std::get_if<Up>(&state)) return up->must_go;
    if (const auto* draining = std::get_if<Draining>(&state)) return draining->must_go;
    return std::nullopt;
}

template <class Wanted>
core::Allocation those(const HostTableState& table, const Wanted& wanted) {
    core::Allocation allocation;
    for (const auto& known : table.hosts)
        allocation.hosts.push_back(
            {known.host.name, wanted(known.state) ? known.host.slots : 0, known.host.max_slots});
    return allocation;
}

}  // namespace

HostTable::HostTable(IdleHosts idle, const core::Allocation& held) : idle_(idle) {
    for (const auto& one : held.hosts) state_.hosts.push_back({one, {}, Idle{}});
}

HostEffects HostTable::on(const HostEvent& event) {
    HostEffects effects;
    HostStep step{idle_, no_more_, state_, effects};
    std::visit([&step](const auto& one) { apply(step, one); }, event);
    return effects;
}

core::Allocation HostTable::allocation() const {
    return those(state_, [this](const State& state) { return stays(state); });
}

core::Allocation HostTable::lasting() const {
    return those(state_, [this](const State& state) { return stays(state) && !must_go(state); });
}

core::Allocation HostTable::dependable() const {
    return those(state_, [this](const State& state) {
        return stays(state) && !must_go(state) && !is_one_of<Lost, Avoided>(state);
    });
}

std::map<core::HostIndex, WallTime> HostTable::revoked() const {
    std::map<core::HostIndex, WallTime> hosts;
    for (std::size_t i = 0; i < state_.hosts.size(); ++i)
        if (const auto deadline = must_go(state_.hosts[i].state))
            hosts.emplace(core::HostIndex{static_cast<int>(i)}, *deadline);
    return hosts;
}

std::vector<std::string> HostTable::failed() const {
    std::vector<std::string> names;
    for (const auto& known : state_.hosts)
        if (known.failed) names.push_back(known.host.name);
    return names;
}

bool HostTable::stays(const State& state) const {
    if (is_one_of<Draining, Lost>(state)) return idle_ == IdleHosts::kept && !state_.ending;
    return !is_one_of<Reserved, Released>(state);
}

std::vector<core::HostIndex> HostTable::idle_hosts() const {
    std::vector<core::HostIndex> hosts;
    for (std::size_t i = 0; i < state_.hosts.size(); ++i)
        if (is_one_of<Idle>(state_.hosts[i].state))
            hosts.push_back(core::HostIndex{static_cast<int>(i)});
    return hosts;
}

std::optional<WallTime> HostTable::next_deadline() const {
    std::optional<WallTime> next;
    const auto consider = [&next](std::optional<WallTime> time) {
        if (time && (!next || *time < *next)) next = time;
    };
    for (const auto& known : state_.hosts) consider(must_go(known.state));
    for (const auto& request : state_.requests)
        if (const auto* waiting = std::get_if<Waiting>(&request.state))
            consider(waiting->need.until);
    return next;
}

bool HostTable::all_released() const {
    return std::ranges::all_of(
        state_.hosts, [](const KnownHost& known) { return is_one_of<Released>(known.state); });
}

core::Allocation held_hosts(const HostTableState& state) {
    core::Allocation held;
    for (const auto& known : state.hosts)
        if (!is_one_of<Released>(known.state)) held.hosts.push_back(known.host);
    return held;
}

std::optional<core::HostIndex> find_host(const HostTableState& state, std::string_view name) {
    const auto it = std::ranges::find_if(
        state.hosts, [name](const KnownHost& known) { return known.host.name == name; });
    if (it == state.hosts.end()) return std::nullopt;
    return core::HostIndex{static_cast<int>(it - state.hosts.begin())};
}

}  // namespace ductile::broker
