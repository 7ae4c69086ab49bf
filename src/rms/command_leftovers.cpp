#include "rms/command_leftovers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "rms/proc.hpp"

namespace ductile::rms {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto search_interval = std::chrono::milliseconds(5);
constexpr auto search_limit = std::chrono::seconds(1);

bool has_mark(pid_t pid, const std::string& mark) {
    const std::string environment = read_proc(pid, "environ");
    const std::string entry = mark + '\0';
    const auto at = environment.find(entry);
    return at != std::string::npos && (at == 0 || environment[at - 1] == '\0');
}

/// Its arguments with blanks between them, or "(name)" for a process that shows none.
std::string command_line(pid_t pid) {
    std::string line = read_proc(pid, "cmdline");
    while (!line.empty() && line.back() == '\0') line.pop_back();
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (!line.empty()) return line.substr(0, 200);
    std::string name = read_proc(pid, "comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    return "(" + name + ")";
}

/// Living processes below this one: children, their children, and so on until none is added.
std::vector<pid_t> living_descendants() {
    const auto others = living_processes();
    std::set<pid_t> family = {getpid()};
    for (std::size_t size = 0; size != family.size();) {
        size = family.size();
        for (const auto& [pid, process] : others)
            if (family.contains(process.parent)) family.insert(pid);
    }
    family.erase(getpid());
    return {family.begin(), family.end()};
}

void reap_if_ours(pid_t pid) {
    waitpid(pid, nullptr, WNOHANG);
}

/// Kills what `find` finds until it finds nothing: what is killed may have started another just
/// before.
void kill_until_none(const std::function<std::vector<pid_t>()>& find) {
    std::set<pid_t> killed;
    for (const auto end = Clock::now() + search_limit; Clock::now() < end;) {
        const auto pids = find();
        if (pids.empty()) break;
        for (const pid_t pid : pids) kill(pid, SIGKILL);
        killed.insert(pids.begin(), pids.end());
        std::this_thread::sleep_for(search_interval);
    }
    for (const pid_t pid : killed) reap_if_ours(pid);
}

std::vector<pid_t> pids_of(const Belonging& whose) {
    std::vector<pid_t> pids;
    for (const auto& [pid, process] : living_processes())
        if (pid != whose.session && (process.session == whose.session || has_mark(pid, whose.mark)))
            pids.push_back(pid);
    return pids;
}

std::vector<LeftProcess> described(const std::vector<pid_t>& pids) {
    std::vector<LeftProcess> result;
    for (const pid_t pid : pids) result.push_back({pid, command_line(pid)});
    return result;
}

}  // namespace

std::string fresh_mark() {
    std::random_device random;
    return std::to_string(getpid()) + "-" + std::to_string(random()) + std::to_string(random());
}

std::vector<LeftProcess> find_leftovers(const Belonging& whose) {
    return described(pids_of(whose));
}

void kill_leftovers(const Belonging& whose) {
    kill_until_none([&whose] { return pids_of(whose); });
}

std::vector<LeftProcess> end_all_descendants() {
    auto found = described(living_descendants());
    kill_until_none(living_descendants);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return found;
}

}  // namespace ductile::rms
