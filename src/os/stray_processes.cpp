#include "os/stray_processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <random>
#include <string_view>
#include <thread>

#include "os/proc.hpp"

namespace ductile::os {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(5);

/// The entry with this name in an environment, including the name.
std::optional<std::string_view> entry_of(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const auto entry = environment.substr(0, environment.find('\0'));
        if (entry.starts_with(name)) return entry;
        environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
    }
    return std::nullopt;
}

/// "NAME=value" -> "NAME=".
std::string_view name_in(std::string_view mark) {
    return mark.substr(0, mark.find('=') + 1);
}

bool matches(std::string_view entry, std::string_view mark) {
    return mark.ends_with('.') ? entry.starts_with(mark) : entry == mark;
}

enum class Mark { ours, other, none };

Mark mark_of(pid_t pid, const ProcessSelector& whose) {
    const auto environment = read_proc(pid, "environ");
    const auto entry = entry_of(environment, name_in(whose.mark));
    if (!entry) return Mark::none;
    if (!matches(*entry, whose.mark)) return Mark::other;
    if (whose.second_mark.empty()) return Mark::ours;
    const auto second = entry_of(environment, name_in(whose.second_mark));
    return second && matches(*second, whose.second_mark) ? Mark::ours : Mark::other;
}

// Adds the descendants of the processes in `family`, except those in `foreign`.
void add_descendants(std::set<pid_t>& family, const std::map<pid_t, Process>& living,
                     const std::set<pid_t>& foreign = {}) {
    for (std::size_t before = 0; before != family.size();) {
        before = family.size();
        for (const auto& [pid, process] : living)
            if (family.contains(process.parent) && !foreign.contains(pid)) family.insert(pid);
    }
}

}  // namespace

std::vector<pid_t> find_processes(const ProcessSelector& whose) {
    const auto living = living_processes();
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
    add_descendants(found, living, foreign);
    found.erase(whose.session);
    return {found.begin(), found.end()};
}

std::vector<pid_t> find_descendants() {
    std::set<pid_t> family = {::getpid()};
    add_descendants(family, living_processes());
    family.erase(::getpid());
    return {family.begin(), family.end()};
}

void kill_processes(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
}

std::set<pid_t> kill_until_none(const std::function<std::vector<pid_t>()>& find,
                                std::chrono::milliseconds limit) {
    using Clock = std::chrono::steady_clock;
    std::set<pid_t> killed;
    for (const auto end = Clock::now() + limit; Clock::now() < end;) {
        const auto pids = find();
        if (pids.empty()) break;
        kill_processes(pids);
        killed.insert(pids.begin(), pids.end());
        std::this_thread::sleep_for(between_looks);
    }
    for (const pid_t pid : killed) ::waitpid(pid, nullptr, WNOHANG);
    return killed;
}

std::string fresh_mark() {
    std::random_device random;
    return std::to_string(::getpid()) + "-" + std::to_string(random()) + std::to_string(random());
}

}  // namespace ductile::os
