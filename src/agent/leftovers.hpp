// The processes of an agent's groups, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::agent {

/// Whose processes are sought. A process is found by its environment (which its children inherit),
/// by its session, or as an orphan that the kernel has given to this agent.
struct Belonging {
    std::string agent;  ///< value of DUCTILE_AGENT; with a final '.' any value that begins so
    std::optional<core::GroupId> group;  ///< value of DUCTILE_GROUP; nothing: any
    pid_t session = 0;
    /// Also children of this process that carry no mark at all (their environment was cleared),
    /// with their descendants; less those in `known`.
    bool unmarked_orphans = false;
    std::set<pid_t> known;
};

/// Living processes (no zombies) of this host that belong; never this process itself.
std::vector<pid_t> find_processes(const Belonging& whose);

/// Kills each; what is gone already is no error.
void kill_processes(const std::vector<pid_t>& pids);

}  // namespace ductile::agent
