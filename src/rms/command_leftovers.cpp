#include "rms/command_leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace ductile::rms {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto search_interval = std::chrono::milliseconds(5);
constexpr auto search_limit = std::chrono::seconds(1);

/// All of /proc/PID/`file`; empty when the process has ended or belongs to another user. (A stream
/// would throw when the process ends while it is read.)
std::string read_proc(pid_t pid, const char* file) {
    const std::string name = "/proc/" + std::to_string(pid) + "/" + file;
    const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    std::string text;
    std::array<char, 16 * 1024> buffer{};
    ssize_t got = 0;
    while ((got = read(descriptor, buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    close(descriptor);
    return text;
}

struct ProcessState {
    char state = '?';
    pid_t parent = 0;
    pid_t session = 0;
};

/// From /proc/PID/stat: "PID (name) S PPID PGRP SESSION ...", where the name may hold blanks and
/// brackets.
std::optional<ProcessState> read_state(pid_t pid) {
    const std::string stat = read_proc(pid, "stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream rest(stat.substr(name_end + 1));
    ProcessState found;
    pid_t group = 0;
    if (!(rest >> found.state >> found.parent >> group >> found.session)) return std::nullopt;
    return found;
}

bool is_dead(const ProcessState& process) {
    return process.state == 'Z' || process.state == 'X';
}

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

std::vector<pid_t> all_processes() {
    std::vector<pid_t> pids;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
    if (!proc) return pids;
    while (const dirent* entry = readdir(proc.get())) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        const auto [last, error] = std::from_chars(entry->d_name, end, pid);
        if (error == std::errc{} && last == end) pids.push_back(pid);
    }
    return pids;
}

/// Living processes below this one: children, their children, and so on until none is added.
std::vector<pid_t> living_descendants() {
    std::vector<std::pair<pid_t, ProcessState>> others;
    for (const pid_t pid : all_processes())
        if (const auto state = read_state(pid)) others.emplace_back(pid, *state);
    std::set<pid_t> family = {getpid()};
    for (std::size_t size = 0; size != family.size();) {
        size = family.size();
        for (const auto& [pid, state] : others)
            if (family.contains(state.parent)) family.insert(pid);
    }
    std::vector<pid_t> living;
    for (const auto& [pid, state] : others)
        if (pid != getpid() && family.contains(pid) && !is_dead(state)) living.push_back(pid);
    return living;
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
    for (const pid_t pid : all_processes()) {
        if (pid == getpid() || pid == whose.session) continue;
        const auto state = read_state(pid);
        if (!state || is_dead(*state)) continue;
        if (state->session == whose.session || has_mark(pid, whose.mark)) pids.push_back(pid);
    }
    return pids;
}

std::vector<LeftProcess> described(const std::vector<pid_t>& pids) {
    std::vector<LeftProcess> result;
    for (const pid_t pid : pids) result.push_back({pid, command_line(pid)});
    return result;
}

}  // namespace

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
