#include "broker/launcher_proxies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::broker {

namespace {

void report(const wire::ProxyEnded& ended, const GroupTable& groups, GroupEffects& out) {
    if (const auto* launcher_group = groups.find(ended.group))
        out.emplace_back(HostOrder{launcher_group->group.host, ended});
}

}  // namespace

void LauncherProxies::on_wanted(core::HostIndex host, const wire::ProxyWanted& wanted,
                                const GroupTable& groups, const std::set<core::HostIndex>& up,
                                GroupEffects& out) {
    const auto* state = groups.find(wanted.starts);
    if (state == nullptr || state->role == GroupRole::undone)
        return report({wanted.group, wanted.starts, wanted.part, 1}, groups, out);
    const auto shares = state->group.shares();
    const auto* launcher_group = groups.find(wanted.group);
    if (launcher_group == nullptr || launcher_group->group.host != host ||
        state->launcher_group != wanted.group || wanted.part >= static_cast<int>(shares.size()) ||
        (wanted.part == 0 && wanted.starts == wanted.group))
        throw InputError(
            fmt::format("the launcher run of group g{} has no proxy to start for part "
                        "{} of group g{}",
                        wanted.group.value, wanted.part, wanted.starts.value));
    const auto there = shares[static_cast<std::size_t>(wanted.part)].host;
    const wire::StartProxy order{wanted.starts, wanted.argv};
    if (up.contains(there))
        out.emplace_back(HostOrder{there, order});
    else
        wanted_.insert_or_assign({wanted.starts, there}, order);
}

void LauncherProxies::start_waiting(core::GroupId group, core::HostIndex host,
                                    GroupEffects& out) const {
    const auto order = wanted_.find({group, host});
    if (order != wanted_.end()) out.emplace_back(HostOrder{host, order->second});
}

void LauncherProxies::forget(core::GroupId group) {
    std::erase_if(wanted_, [&](const auto& entry) { return entry.first.first == group; });
}

void report_proxy_exit(const GroupState& state, core::HostIndex host, int code,
                       const GroupTable& groups, GroupEffects& out) {
    const auto shares = state.group.shares();
    const auto at = std::ranges::find(shares, host, &core::Share::host);
    report({state.launcher_group, state.group.id, static_cast<int>(at - shares.begin()), code},
           groups, out);
}

}  // namespace ductile::broker
