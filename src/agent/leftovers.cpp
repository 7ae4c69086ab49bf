#include "agent/leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "wire/local_socket.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_file_bytes = 8u << 20;

std::string read_proc(pid_t pid, const char* file) {
    const auto path = "/proc/" + std::to_string(pid) + "/" + file;
    const wire::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    char buffer[16384];
    while (fd && text.size() < max_file_bytes) {
        const ssize_t n = ::read(fd.get(), buffer, sizeof(buffer));
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
}

struct Process {
    char state = '?';
    pid_t parent = 0, session = 0;
};

// "PID (name) S PPID PGRP SESSION ...", where the name may hold blanks and brackets.
std::optional<Process> read_process(pid_t pid) {
    const auto stat = read_proc(pid, "stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream rest(stat.substr(name_end + 1));
    Process found;
    pid_t group = 0;
    if (!(rest >> found.state >> found.parent >> group >> found.session)) return std::nullopt;
    return found;
}

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
    const auto environment = read_proc(pid, "environ");
    const auto agent = variable(environment, "DUCTILE_AGENT");
    if (!agent) return Mark::none;
    if (!matches(*agent, whose.agent)) return Mark::other;
    const bool group_fits = !whose.group || variable(environment, "DUCTILE_GROUP") ==
                                                std::to_string(whose.group->value);
    return group_fits ? Mark::ours : Mark::other;
}

std::map<pid_t, Process> living_processes() {
    std::map<pid_t, Process> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
    if (!proc) return found;
    while (const dirent* entry = ::readdir(proc.get())) {
        pid_t pid = 0;
        const char* end = entry->d_name + std::strlen(entry->d_name);
        const auto [last, error] = std::from_chars(entry->d_name, end, pid);
        if (error != std::errc{} || last != end || pid == ::getpid()) continue;
        const auto process = read_process(pid);
        if (process && process->state != 'Z' && process->state != 'X') found[pid] = *process;
    }
    return found;
}

}  // namespace

std::vector<pid_t> find_processes(const Belonging& whose) {
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
