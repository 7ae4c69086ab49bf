#include "plan/spawn_wish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/counted.hpp"
#include "plan/soft_counts.hpp"

namespace ductile::plan {

namespace {

std::string value_of(const SpawnCommand& command, std::string_view key) {
    const auto found = std::ranges::find(command.info, key, &SpawnInfo::key);
    return found == command.info.end() ? std::string() : found->value;
}

constexpr const char* host_keys[] = {"hosts", "host", "add-host"};
constexpr std::string_view served_keys[] = {"hosts", "host", "add-host", "soft", "wdir", "path"};

std::vector<core::HostShare> wishes_of(const SpawnCommand& command,
                                       const std::vector<ChildHost>& hosts) {
    for (const auto* key : host_keys)
        if (const auto value = value_of(command, key); !value.empty()) {
            auto wishes = read_host_shares(value, hosts);
            // A command that names one host without a number gets all its ranks there.
            if (wishes.size() == 1 && !wishes.front().ranks) wishes.front().ranks = command.ranks;
            return wishes;
        }
    return {};
}

/// The reason why the hosts of a command cannot be read; nullopt if they can.
std::optional<std::string> bad_wish(const SpawnCommand& command,
                                    const std::vector<ChildHost>& hosts) {
    for (const auto* key : host_keys)
        if (const auto value = value_of(command, key); !value.empty())
            return read_host_shares(value, hosts).empty()
                       ? std::optional(fmt::format(
                             "info key {}: '{}' is no list of NAME or NAME:COUNT", key, value))
                       : std::nullopt;
    return std::nullopt;
}

/// Consecutive commands that name no host are placed together. Each other command is placed alone.
struct CommandBlock {
    int ranks = 0;
    std::vector<core::HostShare> wishes;
};

std::vector<CommandBlock> blocks_of(const std::vector<SpawnCommand>& commands,
                                    const std::vector<ChildHost>& hosts) {
    std::vector<CommandBlock> blocks;
    for (const auto& command : commands) {
        auto wishes = wishes_of(command, hosts);
        const bool joins = !blocks.empty() && blocks.back().wishes.empty() && wishes.empty();
        if (joins)
            blocks.back().ranks += command.ranks;
        else
            blocks.push_back({command.ranks, std::move(wishes)});
    }
    return blocks;
}

void append(std::vector<core::Share>& all, const core::Share& share) {
    if (!all.empty() && all.back().host == share.host)
        all.back().ranks += share.ranks;
    else
        all.push_back(share);
}

/// The hosts in the order in which further ranks fill them: the last host, then those without
/// ranks, then the others.
std::vector<ChildHost> hosts_behind(const std::vector<core::Share>& placed,
                                    std::vector<ChildHost> hosts) {
    if (placed.empty()) return hosts;
    const auto is_last = [&](const ChildHost& host) { return host.host == placed.back().host; };
    const auto is_new = [&](const ChildHost& host) {
        return std::ranges::find(placed, host.host, &core::Share::host) == placed.end();
    };
    const auto rest = std::ranges::stable_partition(hosts, is_last);
    std::ranges::stable_partition(rest, is_new);
    return hosts;
}

void take_slots(const core::Share& share, std::vector<ChildHost>& hosts) {
    const auto host = std::ranges::find(hosts, share.host, &ChildHost::host);
    if (host == hosts.end()) return;
    host->free_slots = std::max(0, host->free_slots - share.ranks);
    if (host->room) *host->room -= share.ranks;
}

/// The slots that a command may use on each host. If it names hosts, only these, with its numbers;
/// otherwise all hosts.
std::vector<int> slots_for(const SpawnCommand& command, const std::vector<ChildHost>& hosts) {
    const auto wishes = wishes_of(command, hosts);
    std::vector<int> slots;
    for (const auto& host : hosts) {
        const auto wish = std::ranges::find_if(wishes, [&](const core::HostShare& share) {
            const auto named = find_host(share.host, hosts);
            return named != hosts.end() && named->host == host.host;
        });
        if (wish == wishes.end())
            slots.push_back(wishes.empty() ? host.free_slots : 0);
        else
            slots.push_back(std::min(wish->ranks.value_or(host.free_slots), host.free_slots));
    }
    return slots;
}

void take_slots(const SpawnCommand& command, std::vector<ChildHost>& hosts) {
    const auto slots = slots_for(command, hosts);
    int left = command.ranks;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const int here = std::min(slots[i], left);
        hosts[i].free_slots -= here;
        left -= here;
    }
}

bool names_unknown_host(const SpawnCommand& command, const std::vector<ChildHost>& hosts) {
    return std::ranges::any_of(wishes_of(command, hosts), [&](const core::HostShare& wish) {
        return find_host(wish.host, hosts) == hosts.end();
    });
}

bool is_soft(const SpawnCommand& command) {
    return std::ranges::find(command.info, "soft", &SpawnInfo::key) != command.info.end();
}

/// Reduces the ranks of a command and takes their slots. Otherwise returns the reason.
std::optional<std::string> fit_to_slots(SpawnCommand& command, std::vector<ChildHost>& hosts,
                                        std::vector<std::string>& notes) {
    const auto text = value_of(command, "soft");
    const auto parsed = SoftCounts::parse(text);
    if (const auto* why = std::get_if<std::string>(&parsed)) return "info key soft: " + *why;
    if (names_unknown_host(command, hosts)) return std::nullopt;  // place_spawn() refuses it later
    const auto slots = slots_for(command, hosts);
    const int free = std::accumulate(slots.begin(), slots.end(), 0);
    const int most = std::min(command.ranks, free);
    const auto ranks = std::get<SoftCounts>(parsed).largest_up_to(most);
    if (ranks)
        command.ranks = *ranks;
    else
        notes.push_back(fmt::format(
            "info key soft: '{}' has no number up to {} (requested: at most {}; free: "
            "{}), and has no effect",
            text, most, core::counted(command.ranks, "rank"), core::counted(free, "slot")));
    take_slots(command, hosts);
    return std::nullopt;
}

}  // namespace

std::variant<FittedSpawn, std::string> fit_to_slots(SpawnWish wish, std::vector<ChildHost> hosts) {
    FittedSpawn fitted{wish, {}};
    for (const auto& command : fitted.wish.commands)
        if (!is_soft(command)) take_slots(command, hosts);
    for (auto& command : fitted.wish.commands)
        if (is_soft(command))
            if (auto why = fit_to_slots(command, hosts, fitted.notes)) return std::move(*why);
    const auto has_ranks = [](const SpawnCommand& command) { return command.ranks > 0; };
    if (std::ranges::none_of(fitted.wish.commands, has_ranks))
        return FittedSpawn{std::move(wish),
                           {"info key soft: with the free slots, no process can start, so the key "
                            "has no effect"}};
    return fitted;
}

std::vector<std::string> keys_without_effect(const SpawnWish& wish) {
    std::vector<std::string> notes;
    for (const auto& command : wish.commands)
        for (const auto& [key, value] : command.info) {
            const bool is_served = std::ranges::find(served_keys, key) != std::end(served_keys);
            // MPI itself reads these.
            if (!is_served && !key.starts_with("mpi_"))
                notes.push_back(fmt::format("info key {} has no effect", key));
        }
    return notes;
}

std::variant<std::vector<core::Share>, std::string> place_spawn(const SpawnWish& wish,
                                                                std::vector<ChildHost> hosts,
                                                                core::HostIndex caller) {
    for (const auto& command : wish.commands)
        if (auto why = bad_wish(command, hosts)) return std::move(*why);
    std::vector<core::Share> all;
    for (const auto& block : blocks_of(wish.commands, hosts)) {
        if (block.ranks < 1) continue;
        const auto home = all.empty() ? caller : all.back().host;
        const auto placed =
            place_children(block.ranks, block.wishes,
                           block.wishes.empty() ? hosts_behind(all, hosts) : hosts, home);
        if (const auto* why = std::get_if<std::string>(&placed)) return *why;
        for (const auto& share : std::get<std::vector<core::Share>>(placed)) {
            append(all, share);
            take_slots(share, hosts);
        }
    }
    if (all.empty()) return "it asks for no process";
    return all;
}

std::vector<ChildProgram> programs_of_spawn(const SpawnWish& wish, int first, int ranks) {
    std::vector<ChildProgram> programs;
    int begin = 0;
    int appnum = 0;
    for (const auto& command : wish.commands) {
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

}  // namespace ductile::plan
