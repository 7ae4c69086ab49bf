// What /proc says of a process.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

namespace ductile::os {

/// The contents of /proc/PID/FILE, at most 8 MiB; empty when the process is gone or not ours.
[[nodiscard]] std::string read_proc(pid_t pid, const char* file);

struct Process {
    char state = '?';
    pid_t parent = 0, session = 0;

    [[nodiscard]] bool is_dead() const { return state == 'Z' || state == 'X'; }
};

[[nodiscard]] std::optional<Process> read_process(pid_t pid);
/// Of any user, but for this process itself.
[[nodiscard]] std::map<pid_t, Process> living_processes();

}  // namespace ductile::os
