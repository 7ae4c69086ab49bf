// What a /proc says about the processes in it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace ductile::cluster {

struct Process {
    pid_t pid = 0;
    pid_t ppid = 0;
    char state = '?';  ///< as in proc(5): R, S, D, T, Z, ...
    std::string name;
    std::vector<std::string> command;  ///< empty for one that is ending
};

/// The fields of a /proc/PID/stat. Pure; a text that is none gives pid 0.
Process parse_stat(std::string_view stat);

/// All processes of the /proc mounted at `proc`, by pid. With `variable` ("NAME=VALUE") only those
/// that have it in their environment.
std::vector<Process> read_processes(const std::string& proc, const std::string& variable = {});

/// Whether it is a host's init or a session of `exec`: there without anybody's command having
/// started it.
bool is_furniture(const Process& process);
/// The names by which is_furniture knows them.
inline constexpr std::string_view init_name = "host-init";
inline constexpr std::string_view session_name = "host-session";

/// The pids, as this process sees them, of all processes in the PID namespace with this id.
std::vector<pid_t> pids_in_namespace(ino_t pid_namespace);

}  // namespace ductile::cluster
