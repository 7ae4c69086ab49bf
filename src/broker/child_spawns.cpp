#include "broker/child_spawns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/counted.hpp"
#include "plan/soft_counts.hpp"
#include "wire/proxy_name.hpp"

namespace ductile::broker {

namespace {

std::string value_of(const wire::SpawnCommandFields& command, std::string_view key) {
    const auto found = std::ranges::find(command.info, key, &wire::InfoFields::key);
    return found == command.info.end() ? std::string() : found->value;
}

constexpr const char* host_keys[] = {"hosts", "host", "add-host"};

std::vector<plan::HostWish> wishes_of(const wire::SpawnCommandFields& command) {
    for (const auto* key : host_keys)
        if (const auto value = value_of(command, key); !value.empty()) {
            auto wishes = plan::parse_host_wishes(value);
            // A command of its own host gets all its ranks there.
            if (wishes.size() == 1 && wishes.front().ranks == 0)
                wishes.front().ranks = command.ranks;
            return wishes;
        }
    return {};
}

/// What a command says of hosts, if it cannot be understood.
std::optional<std::string> bad_wish(const wire::SpawnCommandFields& command) {
    for (const auto* key : host_keys)
        if (const auto value = value_of(command, key); !value.empty())
            return plan::parse_host_wishes(value).empty()
                       ? std::optional(fmt::format(
                             "info key {}: '{}' is no list of NAME or NAME:COUNT", key, value))
                       : std::nullopt;
    return std::nullopt;
}

/// Commands that follow each other and name no host are placed together, each other one by itself.
struct CommandBlock {
    int ranks = 0;
    std::vector<plan::HostWish> wishes;
};

std::vector<CommandBlock> blocks_of(const std::vector<wire::SpawnCommandFields>& commands) {
    std::vector<CommandBlock> blocks;
    for (const auto& command : commands) {
        auto wishes = wishes_of(command);
        const bool joins = !blocks.empty() && blocks.back().wishes.empty() && wishes.empty();
        if (joins)
            blocks.back().ranks += command.ranks;
        else
            blocks.push_back({command.ranks, std::move(wishes)});
    }
    return blocks;
}

/// False: the host is there already, with ranks of another host between.
bool append(std::vector<core::Share>& all, const core::Share& share) {
    if (!all.empty() && all.back().host == share.host) {
        all.back().ranks += share.ranks;
        return true;
    }
    if (std::ranges::find(all, share.host, &core::Share::host) != all.end()) return false;
    all.push_back(share);
    return true;
}

/// Where further ranks follow those that are placed: on the last host, then on hosts without any.
std::vector<plan::ChildHost> hosts_behind(const std::vector<core::Share>& placed,
                                          const std::vector<plan::ChildHost>& hosts) {
    std::vector<plan::ChildHost> behind;
    for (const auto& host : hosts) {
        if (!placed.empty() && placed.back().host == host.host)
            behind.insert(behind.begin(), host);
        else if (std::ranges::find(placed, host.host, &core::Share::host) == placed.end())
            behind.push_back(host);
    }
    return behind;
}

void take_slots(const core::Share& share, std::vector<plan::ChildHost>& hosts) {
    const auto host = std::ranges::find(hosts, share.host, &plan::ChildHost::host);
    if (host != hosts.end()) host->free_slots = std::max(0, host->free_slots - share.ranks);
}

/// The slots that a command may have of each host: the hosts that it names, with the numbers that
/// it says, or all.
std::vector<int> slots_for(const wire::SpawnCommandFields& command,
                           const std::vector<plan::ChildHost>& hosts) {
    const auto wishes = wishes_of(command);
    std::vector<int> slots;
    for (const auto& host : hosts) {
        const auto wish = std::ranges::find(wishes, host.name, &plan::HostWish::name);
        if (wish == wishes.end())
            slots.push_back(wishes.empty() ? host.free_slots : 0);
        else
            slots.push_back(wish->ranks > 0 ? std::min(wish->ranks, host.free_slots)
                                            : host.free_slots);
    }
    return slots;
}

void take_slots(const wire::SpawnCommandFields& command, std::vector<plan::ChildHost>& hosts) {
    const auto slots = slots_for(command, hosts);
    int left = command.ranks;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const int here = std::min(slots[i], left);
        hosts[i].free_slots -= here;
        left -= here;
    }
}

bool names_a_stranger(const wire::SpawnCommandFields& command,
                      const std::vector<plan::ChildHost>& hosts) {
    return std::ranges::any_of(wishes_of(command), [&](const plan::HostWish& wish) {
        return std::ranges::find(hosts, wish.name, &plan::ChildHost::name) == hosts.end();
    });
}

bool is_soft(const wire::SpawnCommandFields& command) {
    return std::ranges::find(command.info, "soft", &wire::InfoFields::key) != command.info.end();
}

/// Fewer ranks of a command, or why not; it takes their slots.
std::optional<std::string> fit_to_slots(wire::SpawnCommandFields& command,
                                        std::vector<plan::ChildHost>& hosts) {
    const auto text = value_of(command, "soft");
    const auto parsed = plan::SoftCounts::parse(text);
    if (const auto* why = std::get_if<std::string>(&parsed)) return "info key soft: " + *why;
    if (names_a_stranger(command, hosts)) return std::nullopt;  // which is refused later
    const auto slots = slots_for(command, hosts);
    const int free = std::accumulate(slots.begin(), slots.end(), 0);
    const int most = std::min(command.ranks, free);
    const auto ranks = std::get<plan::SoftCounts>(parsed).largest_up_to(most);
    if (!ranks)
        return fmt::format(
            "info key soft: '{}' has no number up to {}: {} asked for at most, and {} free", text,
            most, core::counted(command.ranks, "rank"), core::counted(free, "slot"));
    command.ranks = *ranks;
    take_slots(command, hosts);
    return std::nullopt;
}

}  // namespace

std::variant<wire::SpawnAsked, std::string> fit_to_slots(wire::SpawnAsked asked,
                                                         std::vector<plan::ChildHost> hosts) {
    if (std::ranges::none_of(asked.commands, is_soft)) return asked;
    for (const auto& command : asked.commands)
        if (!is_soft(command)) take_slots(command, hosts);
    int ranks = 0;
    for (auto& command : asked.commands) {
        if (is_soft(command))
            if (auto why = fit_to_slots(command, hosts)) return std::move(*why);
        ranks += command.ranks;
    }
    if (ranks == 0) return "info key soft: the free slots allow to start no process";
    return asked;
}

std::variant<std::vector<core::Share>, std::string> place_spawn(const wire::SpawnAsked& asked,
                                                                std::vector<plan::ChildHost> hosts,
                                                                core::HostIndex caller) {
    for (const auto& command : asked.commands)
        if (auto why = bad_wish(command)) return std::move(*why);
    std::vector<core::Share> all;
    for (const auto& block : blocks_of(asked.commands)) {
        if (block.ranks < 1) continue;
        const auto home = all.empty() ? caller : all.back().host;
        const auto placed =
            plan::place_children(block.ranks, block.wishes,
                                 block.wishes.empty() ? hosts_behind(all, hosts) : hosts, home);
        if (const auto* why = std::get_if<std::string>(&placed)) return *why;
        for (const auto& share : std::get<std::vector<core::Share>>(placed)) {
            if (!append(all, share))
                return fmt::format(
                    "host {} would get ranks that do not follow each other: name it in commands "
                    "that do",
                    std::ranges::find(hosts, share.host, &plan::ChildHost::host)->name);
            take_slots(share, hosts);
        }
    }
    if (all.empty()) return "it asks for no process";
    return all;
}

std::vector<wire::ChildFields> programs_of_spawn(const wire::SpawnAsked& asked, int first,
                                                 int ranks) {
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

std::optional<core::GroupId> group_named(const wire::SpawnAsked& asked) {
    if (asked.commands.size() != 1) return std::nullopt;
    for (const auto& entry : asked.commands.front().info) {
        if (entry.key != "hosts") continue;
        const auto part = wire::proxy_part(entry.value.substr(0, entry.value.find_first_of(":,")));
        if (part) return part->group;
    }
    return std::nullopt;
}

std::string port_of_spawn(const wire::SpawnAsked& asked) {
    const auto port = std::ranges::find(asked.keys, "PARENT_ROOT_PORT_NAME", &wire::KeyFields::key);
    return port == asked.keys.end() ? "" : port->value;
}

std::vector<plan::ChildHost> child_hosts(const GroupTable& groups, const GroupContext& job) {
    std::vector<plan::ChildHost> hosts;
    const auto add = [&](core::HostIndex on) {
        if (std::ranges::find(hosts, on, &plan::ChildHost::host) != hosts.end()) return;
        const auto& host = job.hosts.allocation.at(on);
        const auto given_back = job.ledger.given_back().find(on);
        int free = host.slots;
        if (given_back != job.ledger.given_back().end()) free -= given_back->second;
        for (const auto& [id, state] : groups.all())
            if (state.is_on(on)) free -= state.living_on(on);
        hosts.push_back({on, host.name, std::max(0, free)});
    };
    for (const auto on : job.ledger.layout().hosts())
        if (job.hosts.up.contains(on)) add(on);
    // An agent on which nothing runs is about to end.
    for (const auto on : job.hosts.up)
        if (groups.any_on(on)) add(on);
    for (const auto on : job.hosts.idle)
        if (job.hosts.allocation.at(on).slots > 0) add(on);
    return hosts;
}

core::SlotCounts slots_of_children(const GroupTable& groups) {
    core::SlotCounts slots;
    for (const auto& [id, state] : groups.all()) {
        if (state.role != GroupRole::child) continue;
        for (const auto& share : state.group.shares())
            if (const int living = state.living_on(share.host); living > 0)
                slots[share.host] += living;
    }
    return slots;
}

std::variant<core::Group, std::string> plan_children(core::HostIndex caller,
                                                     const wire::SpawnAsked& asked,
                                                     const std::vector<plan::ChildHost>& hosts,
                                                     const JobLedger& ledger, int max_worlds) {
    if (max_worlds != 0 && ledger.mpi_worlds_seen() + 1 >= max_worlds)
        return fmt::format(
            "the job has used {} of the {} worlds that a process can meet in its life",
            ledger.mpi_worlds_seen(), max_worlds);
    const auto placed = place_spawn(asked, hosts, caller);
    if (const auto* why = std::get_if<std::string>(&placed)) return *why;
    const auto& shares = std::get<std::vector<core::Share>>(placed);
    int ranks = 0;
    for (const auto& share : shares) ranks += share.ranks;
    return core::Group{core::GroupId{ledger.next_group()},
                       shares.front().host,
                       ranks,
                       {shares.begin() + 1, shares.end()}};
}

void add_child_orders(const core::Group& group, const wire::SpawnAsked& asked,
                      const wire::RankWelcome& welcome, const wire::ServedWorld& world,
                      const std::set<core::HostIndex>& up, GroupEffects& out) {
    int first = 0;
    for (const auto& share : group.shares()) {
        wire::StartRun run{group.id, share.ranks, false,
                           welcome,  first,       {},
                           true,     world,       programs_of_spawn(asked, first, share.ranks)};
        first += share.ranks;
        if (!up.contains(share.host)) {
            out.emplace_back(StartAgent{share.host, std::move(run)});
            continue;
        }
        out.emplace_back(HostOrder{share.host, std::move(run)});
        out.emplace_back(HostOrder{share.host, wire::StartRanks{group.id, asked.keys}});
    }
}

std::optional<std::string> refuse_for_children(const GroupTable& groups, const core::Layout& before,
                                               const core::Layout& after,
                                               const core::Allocation& hosts) {
    const auto change = core::change_between(before, after);
    for (const auto& [id, state] : groups.all()) {
        if (state.role != GroupRole::child) continue;
        if (core::holds(change.leaving, state.parent))
            return fmt::format(
                "rank {} would leave, and processes run that it has started itself by "
                "MPI_Comm_spawn (group g{}): ask again when they have ended",
                core::to_string(state.parent), id.value);
        for (const auto host : before.hosts())
            if (state.is_on(host) && after.ranks_on(host) == 0)
                return fmt::format(
                    "host {} would be given back, and processes run there that the program "
                    "has started itself by MPI_Comm_spawn (group g{}): ask again when they "
                    "have ended",
                    hosts.at(host).name, id.value);
    }
    return std::nullopt;
}

}  // namespace ductile::broker
