#include "os/proc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <utility>

namespace ductile::os {

namespace {

constexpr std::size_t max_file_bytes = 8u << 20;

}  // namespace

std::string read_proc(pid_t pid, const char* file) {
    const auto path = "/proc/" + std::to_string(pid) + "/" + file;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string text;
    char buffer[16384];
    while (text.size() < max_file_bytes) {
        const ssize_t n = ::read(fd, buffer, sizeof(buffer));
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(fd);
    return text;
}

std::vector<pid_t> pids_in(const std::string& proc) {
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(proc, ignored)) {
        const std::string name = entry.path().filename();
        const char* end = name.data() + name.size();
        pid_t pid = 0;
        const auto [last, error] = std::from_chars(name.data(), end, pid);
        if (error == std::errc{} && last == end) pids.push_back(pid);
    }
    std::ranges::sort(pids);
    return pids;
}

// "PID (name) S PPID PGRP SESSION ...", where the name may hold blanks and brackets.
std::optional<Process> parse_stat(std::string_view stat) {
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    Process found;
    found.name = stat.substr(open + 1, close - open - 1);
    std::istringstream before{std::string(stat.substr(0, open))};
    std::istringstream after{std::string(stat.substr(close + 1))};
    pid_t group = 0;
    if (!(before >> found.pid) || !(after >> found.state >> found.parent >> group >> found.session))
        return std::nullopt;
    return found;
}

std::optional<Process> read_process(pid_t pid) {
    return parse_stat(read_proc(pid, "stat"));
}

bool is_stopped(pid_t pid) {
    const auto process = read_process(pid);
    return process && process->is_stopped();
}

std::map<pid_t, Process> living_processes() {
    std::map<pid_t, Process> found;
    for (const pid_t pid : pids_in()) {
        if (pid == ::getpid()) continue;
        auto process = read_process(pid);
        if (process && !process->is_dead()) found[pid] = std::move(*process);
    }
    return found;
}

}  // namespace ductile::os
