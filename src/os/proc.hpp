// What /proc says about processes.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::os {

/// The contents of /proc/PID/FILE, about 8 MiB at most; empty if the process is gone, or if this
/// user may not read the file.
[[nodiscard]] std::string read_proc(pid_t pid, const char* file);

/// The pids that the /proc mounted at `proc` shows, in ascending order.
[[nodiscard]] std::vector<pid_t> pids_in(const std::string& proc = "/proc");

struct Process {
    pid_t pid = 0;
    char state = '?';  ///< as in proc(5): R, S, D, T, Z, ...
    pid_t parent = 0, session = 0;
    std::string name;

    [[nodiscard]] bool is_dead() const { return state == 'Z' || state == 'X'; }
    /// By a signal (SIGSTOP, Ctrl-Z), or by a debugger.
    [[nodiscard]] bool is_stopped() const { return state == 'T' || state == 't'; }
};

/// Parses the text of a /proc/PID/stat. Returns nullopt for any other text.
[[nodiscard]] std::optional<Process> parse_stat(std::string_view stat);
[[nodiscard]] std::optional<Process> read_process(pid_t pid);
/// The process exists and is stopped.
[[nodiscard]] bool is_stopped(pid_t pid);
/// The living processes of all users, except this process.
[[nodiscard]] std::map<pid_t, Process> living_processes();

}  // namespace ductile::os
