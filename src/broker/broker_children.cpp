// Processes that the program starts itself (MPI_Comm_spawn): a world that is no part of the job's
// layout, on the job's hosts, and that lives no longer than the job.
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "core/counted.hpp"
#include "plan/child_placement.hpp"

namespace ductile::broker {

namespace {

std::string value_of(const wire::SpawnCommandFields& command, std::string_view key) {
    const auto found = std::ranges::find(command.info, key, &wire::InfoFields::key);
    return found == command.info.end() ? std::string() : found->value;
}

std::vector<plan::HostWish> wishes_of(const wire::SpawnAsked& asked) {
    std::vector<plan::HostWish> all;
    for (const auto& command : asked.commands)
        for (const auto* key : {"hosts", "host", "add-host"})
            if (const auto value = value_of(command, key); !value.empty()) {
                auto wishes = plan::parse_host_wishes(value);
                // A command of its own host gets all its ranks there.
                if (wishes.size() == 1 && wishes.front().ranks == 0)
                    wishes.front().ranks = command.ranks;
                all.insert(all.end(), wishes.begin(), wishes.end());
                break;
            }
    return all;
}

/// Of the ranks from `first` on: those of each command.
std::vector<wire::ChildFields> programs_for(const wire::SpawnAsked& asked, int first, int ranks) {
    std::vector<wire::ChildFields> programs;
    int begin = 0;
    int appnum = 0;
    for (const auto& command : asked.commands) {
        const int from = std::max(begin, first);
        const int to = std::min(begin + command.ranks, first + ranks);
        if (to > from)
            programs.push_back({to - from, appnum, command.program, value_of(command, "wdir"),
                                value_of(command, "path")});
        begin += command.ranks;
        ++appnum;
    }
    return programs;
}

}  // namespace

std::vector<plan::ChildHost> Broker::hosts_for_children() const {
    std::vector<plan::ChildHost> hosts;
    const auto& allocation = rms_->allocation();
    for (const auto host : layout_.hosts()) {
        if (!agents_.is_up(host)) continue;
        int used = 0;
        for (const auto& [id, state] : groups_.all())
            if (state.is_on(host)) used += state.living_on(host);
        hosts.push_back(
            {host, allocation.at(host).name, std::max(0, allocation.at(host).slots - used)});
    }
    return hosts;
}

std::optional<std::string> Broker::start_children(HostIndex host, const wire::SpawnAsked& asked) {
    const int limit = spec_.mpi.max_worlds_in_life;
    if (limit != 0 && worlds_met_ + 1 >= limit)
        return fmt::format(
            "the job has used {} of the {} worlds that a process can meet in its "
            "life",
            worlds_met_, limit);
    int ranks = 0;
    for (const auto& command : asked.commands) ranks += command.ranks;
    if (ranks < 1) return "it asks for no process";
    const auto placed = plan::place_children(ranks, wishes_of(asked), hosts_for_children(), host);
    if (const auto* why = std::get_if<std::string>(&placed)) return *why;
    const auto& shares = std::get<std::vector<core::Share>>(placed);
    core::Group group{
        core::GroupId{next_group_}, shares.front().host, ranks, {shares.begin() + 1, shares.end()}};
    ++next_group_;
    ++worlds_met_;
    groups_.add(group);
    auto& state = *groups_.find(group.id);
    state.role = GroupRole::child;
    state.parent = {asked.group, asked.rank};
    spawn_callers_[group.id] = {host, asked.group, asked.rank};
    journal_fact("the program starts processes itself");
    const auto world = open_world(group, pmi::Gate::shut);
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    int first = 0;
    for (const auto& share : shares) {
        agents_.send(share.host, wire::StartRun{group.id,
                                                share.ranks,
                                                false,
                                                welcome,
                                                first,
                                                {},
                                                true,
                                                world,
                                                programs_for(asked, first, share.ranks)});
        agents_.send(share.host, wire::StartRanks{group.id, asked.keys});
        first += share.ranks;
    }
    return std::nullopt;
}

// Its parent hears of it by the error that MPI_Comm_spawn returns.
void Broker::give_up_children(core::GroupId group) {
    auto* state = groups_.find(group);
    if (state == nullptr || state->role != GroupRole::child) return;
    state->role = GroupRole::undone;
    send_to_hosts_of(group, wire::KillRun{group});
}

std::optional<std::string> Broker::refuse_for_children(const PlannedResize& plan) const {
    const auto change = core::change_between(layout_, plan.after);
    for (const auto& [id, state] : groups_.all()) {
        if (state.role != GroupRole::child) continue;
        const core::Process parent{state.parent.first, state.parent.second};
        if (core::holds(change.leaving, parent))
            return fmt::format(
                "rank {} would leave, and processes run that it has started itself by "
                "MPI_Comm_spawn (group g{}): ask again when they have ended",
                core::to_string(parent), id.value);
        for (const auto host : layout_.hosts())
            if (state.is_on(host) && plan.after.ranks_on(host) == 0)
                return fmt::format(
                    "host {} would be given back, and processes run there that the program "
                    "has started itself by MPI_Comm_spawn (group g{}): ask again when they "
                    "have ended",
                    host_name(host), id.value);
    }
    return std::nullopt;
}

}  // namespace ductile::broker
