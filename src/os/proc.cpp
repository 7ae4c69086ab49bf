#include "os/proc.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <sstream>

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
        if (process && !process->is_dead()) found[pid] = *process;
    }
    return found;
}

}  // namespace ductile::os
