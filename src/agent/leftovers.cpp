#include "agent/leftovers.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "rms/proc.hpp"

namespace ductile::agent {

namespace {

std::optional<std::string> variable(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const auto entry = environment.substr(0, environment.find('\0'));
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
            return std::string(entry.substr(name.size() + 1));
        environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
    }
    return std::nullopt;
}

bool matches(const std::string& value, const std::string& wanted) {
    return wanted.ends_with('.') ? value.starts_with(wanted) : value == wanted;
}

enum class Mark { ours, other, none };

Mark mark_of(pid_t pid, const Belonging& whose) {
    const auto environment = rms::read_proc(pid, "environ");
    const auto agent = variable(environment, "DUCTILE_AGENT");
    if (!agent) return Mark::none;
    if (!matches(*agent, whose.agent)) return Mark::other;
    const bool group_fits = !whose.group || variable(environment, "DUCTILE_GROUP") ==
                                                std::to_string(whose.group->value);
    return group_fits ? Mark::ours : Mark::other;
}

}  // namespace

std::vector<pid_t> find_processes(const Belonging& whose) {
    const auto living = rms::living_processes();
    std::set<pid_t> found, foreign;
    for (const auto& [pid, process] : living) {
        const auto mark = mark_of(pid, whose);
        const bool orphan = whose.unmarked_orphans && mark == Mark::none &&
                            process.parent == ::getpid() && !whose.known.contains(pid);
        if (mark == Mark::other)
            foreign.insert(pid);
        else if (mark == Mark::ours || orphan ||
                 (whose.session != 0 && process.session == whose.session))
            found.insert(pid);
    }
    // Descendants of what was found belong, too, unless another agent's or group's mark says no.
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (const auto& [pid, process] : living)
            if (found.contains(process.parent) && !foreign.contains(pid)) found.insert(pid);
    }
    return {found.begin(), found.end()};
}

void kill_processes(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
}

}  // namespace ductile::agent
