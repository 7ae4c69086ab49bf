#include "broker/child_spawns.hpp"

#include <algorithm>
#include <string_view>

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

}  // namespace

std::variant<std::vector<core::Share>, std::string> place_spawn(
    const wire::SpawnAsked& asked, const std::vector<plan::ChildHost>& hosts,
    core::HostIndex caller) {
    int ranks = 0;
    for (const auto& command : asked.commands) ranks += command.ranks;
    if (ranks < 1) return "it asks for no process";
    return plan::place_children(ranks, wishes_of(asked), hosts, caller);
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

std::string port_of_spawn(const wire::SpawnAsked& asked) {
    const auto port = std::ranges::find(asked.keys, "PARENT_ROOT_PORT_NAME", &wire::KeyFields::key);
    return port == asked.keys.end() ? "" : port->value;
}

}  // namespace ductile::broker
