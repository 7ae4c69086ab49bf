// Reads the processes in a /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "os/proc.hpp"

namespace ductile::cluster {

struct Process : os::Process {
    std::vector<std::string> command;  ///< empty if the process is ending
};

/// All processes of the /proc mounted at `proc`, by pid. With `variable` ("NAME=VALUE"): only
/// processes that have it in their environment.
std::vector<Process> read_processes(const std::string& proc, const std::string& variable = {});

/// Whether the process is a host's init or a session of `exec` ("furniture"). The virtual cluster
/// itself started such a process, not a command of a user.
bool is_furniture(const Process& process);
/// The process names of an init and of a session, by which is_furniture recognises them.
inline constexpr std::string_view init_name = "host-init";
inline constexpr std::string_view session_name = "host-session";

/// The pids of all processes in the PID namespace with this id, as this process sees them.
std::vector<pid_t> pids_in_namespace(ino_t pid_namespace);

}  // namespace ductile::cluster
