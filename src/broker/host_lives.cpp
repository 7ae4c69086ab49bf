// The life of a host, from its first agent to its release.
#include "broker/host_steps.hpp"

namespace ductile::broker {

namespace {

using core::HostIndex;
using namespace host;

/// When the job must have left a host; the time is empty if the host is not revoked. nullptr for a
/// host without an agent.
std::optional<WallTime>* must_go_of(State& state) {
    if (auto* starting = std::get_if<Starting>(&state)) return &starting->must_go;
    if (auto* up = std::get_if<Up>(&state)) return &up->must_go;
    if (auto* draining = std::get_if<Draining>(&state)) return &draining->must_go;
    return nullptr;
}

void lose(HostStep& step, HostIndex host, bool revoked, const std::string& why) {
    step.at(host).state = Lost{revoked};
    step.at(host).failed = step.at(host).failed || !revoked;
    step.out.push_back(HostLost{host, why});
}

std::vector<HostIndex> all_hosts(const HostStep& step) {
    std::vector<HostIndex> hosts;
    for (std::size_t i = 0; i < step.table.hosts.size(); ++i)
        hosts.push_back(HostIndex{static_cast<int>(i)});
    return hosts;
}

constexpr auto taken_back = "the resource manager has taken it back";

}  // namespace

void apply(HostStep& step, const HostUnneeded& unneeded) {
    auto& state = step.at(unneeded.host).state;
    if (is_one_of<Idle, Avoided>(state)) step.set_free(unneeded.host, state);
}

void apply(HostStep& step, const AgentStarting& starting) {
    auto& state = step.at(starting.host).state;
    if (is_one_of<Released>(state))
        step.out.push_back(HostLost{starting.host, taken_back});
    else if (is_one_of<Reserved>(state))
        step.out.push_back(
            HostLost{starting.host, "it is reserved for a request that waits for more hosts"});
    else if (is_one_of<Lost>(state))
        step.out.push_back(
            HostLost{starting.host, "the processes of its earlier agent may still run"});
    else if (const auto* must_go = must_go_of(state))
        state = Starting{*must_go};
    else
        state = Starting{};
}

void apply(HostStep& step, const AgentDraining& draining) {
    auto& state = step.at(draining.host).state;
    if (const auto* must_go = must_go_of(state)) state = Draining{*must_go};
}

void apply(HostStep& step, const AgentUp& up) {
    auto& state = step.at(up.host).state;
    if (const auto* starting = std::get_if<Starting>(&state)) state = Up{starting->must_go};
}

void apply(HostStep& step, const AgentGone& gone) {
    auto& state = step.at(gone.host).state;
    const auto* lost = std::get_if<Lost>(&state);
    const auto* must_go = must_go_of(state);
    if ((lost != nullptr && lost->revoked) || (must_go != nullptr && *must_go))
        step.give_back(gone.host);
    else if (lost != nullptr)
        step.set_free(gone.host, Avoided{});
    else if (must_go != nullptr)
        step.set_free(gone.host, Idle{});
}

void apply(HostStep& step, const AgentLost& lost) {
    const auto* must_go = must_go_of(step.at(lost.host).state);
    if (must_go != nullptr) lose(step, lost.host, must_go->has_value(), lost.why);
}

void apply(HostStep& step, const HostRevoked& revoked) {
    const auto host = find_host(step.table, revoked.host);
    if (!host) return;
    forget_grants_of(step, *host);
    auto& state = step.at(*host).state;
    if (auto* must_go = must_go_of(state)) {
        if (*must_go && **must_go <= revoked.deadline) return;
        *must_go = revoked.deadline;
        step.out.push_back(HostMustGo{*host, revoked.deadline});
    } else if (auto* lost = std::get_if<Lost>(&state)) {
        lost->revoked = true;
    } else if (is_one_of<Idle>(state)) {
        step.give_back(*host);
        step.out.push_back(HostLost{*host, taken_back});  // the job may be about to use it
    } else if (is_one_of<Reserved, Avoided>(state)) {
        step.give_back(*host);
    }
}

void apply(HostStep& step, const rms::Gone& gone) {
    step.idle = IdleHosts::kept;
    step.no_more = gone.reason;
}

void apply(HostStep& step, const JobEnding&) {
    step.table.ending = true;
    cancel_requests(step, [](const HostNeed&) { return true; });
    for (const auto host : all_hosts(step))
        if (is_one_of<Reserved, Idle, Avoided>(step.at(host).state)) step.give_back(host);
}

void apply(HostStep& step, const TakenOver& taken) {
    apply(step, rms::Forgotten{});
    for (const auto host : all_hosts(step))
        if (is_one_of<Lost>(step.at(host).state) && !taken.lost.contains(host))
            apply(step, AgentGone{host});
}

void apply(HostStep& step, const TimeIs& time) {
    end_late_requests(step, time.now);
    for (const auto host : all_hosts(step)) {
        const auto* must_go = must_go_of(step.at(host).state);
        if (must_go != nullptr && *must_go && **must_go <= time.now)
            lose(step, host, true, taken_back);
    }
}

}  // namespace ductile::broker
