#include "expand/processor_time.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <vector>

#include "os/proc.hpp"

namespace ductile::bench {

namespace {

std::string program_of(pid_t pid) {
    std::array<char, 4096> path{};
    const auto link = "/proc/" + std::to_string(pid) + "/exe";
    const auto n = ::readlink(link.c_str(), path.data(), path.size());
    const std::string name(path.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return name.substr(name.rfind('/') + 1);
}

std::optional<double> used_s(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
        return std::nullopt;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Indices of the fields of proc_pid_stat(5), counted from field 3, the first one after the name.
std::optional<ProcessTime> read(pid_t pid) {
    constexpr std::size_t parent = 1, waited_for_user = 13, waited_for_system = 14, started = 19;
    const auto stat = os::read_proc(pid, "stat");
    const auto name_end = stat.rfind(')');
    const auto used = used_s(pid);
    if (name_end == std::string::npos || !used) return std::nullopt;
    std::istringstream text(stat.substr(name_end + 1));
    std::vector<std::string> fields;
    for (std::string field; text >> field;) fields.push_back(field);
    if (fields.size() <= started) return std::nullopt;
    static const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    ProcessTime found;
    found.parent = std::stoi(fields[parent]);
    found.started = std::stoull(fields[started]);
    found.program = program_of(pid);
    found.used_s = *used;
    found.waited_for_s =
        (std::stod(fields[waited_for_user]) + std::stod(fields[waited_for_system])) /
        ticks_a_second;
    return found;
}

bool descends_from(const Census& all, pid_t pid, pid_t root) {
    for (auto it = all.find(pid); it != all.end(); it = all.find(it->second.parent)) {
        if (it->first == root) return true;
        if (it->second.parent == it->first) return false;
    }
    return false;
}

}  // namespace

Census take_census() {
    Census all;
    auto pids = os::living_processes();
    pids[::getpid()] = {};
    for (const auto& [pid, process] : pids)
        if (const auto found = read(pid)) all[pid] = *found;
    return all;
}

Census below(const Census& all, pid_t root, pid_t self) {
    Census found;
    for (const auto& [pid, process] : all)
        if (pid != self && descends_from(all, pid, root)) found.emplace(pid, process);
    return found;
}

GrowthTime time_between(const Census& before, const Census& after, const std::string& program) {
    GrowthTime time;
    for (const auto& [pid, now] : after) {
        const auto old = before.find(pid);
        const bool is_new = old == before.end() || old->second.started != now.started;
        if (now.program == program) {
            time.ranks += is_new ? 1 : 0;
        } else if (is_new) {
            time.started_s += now.used_s + now.waited_for_s;
        } else {
            time.started_s += now.waited_for_s - old->second.waited_for_s;
            time.managers_s += now.used_s - old->second.used_s;
        }
    }
    return time;
}

}  // namespace ductile::bench
