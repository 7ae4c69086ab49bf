// Processes that outlive whoever started them, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ductile::os {

/// Whose processes are sought. A process is found by its environment (which its children inherit),
/// by its session, or as an orphan that the kernel has given to this process. Descendants of what
/// is found belong, too, unless they carry another value of the mark.
struct ProcessSelector {
    std::string mark;         ///< "NAME=value"; with a final '.' any value that begins so
    std::string second_mark;  ///< "NAME=value" that those with the mark carry, too; empty: any
    pid_t session = 0;        ///< 0: none
    /// Also children of this process that carry no mark at all (their environment was cleared),
    /// less those in `known`.
    bool unmarked_orphans = false;
    std::set<pid_t> known;
};

/// Living processes (no zombies) of this host that belong; neither this process itself nor the
/// session's leader, which its parent waits for.
[[nodiscard]] std::vector<pid_t> find_processes(const ProcessSelector& whose);

/// Living processes below this one: children, their children, and so on.
[[nodiscard]] std::vector<pid_t> find_descendants();

/// Kills each; what is gone already is no error.
void kill_processes(const std::vector<pid_t>& pids);

/// Kills what `find` finds until it finds nothing, for at most `limit`: what is killed may have
/// started another just before. Reaps those that are children. Returns all that it has killed.
/// Sleeps between its looks: not for an event loop.
std::set<pid_t> kill_until_none(const std::function<std::vector<pid_t>()>& find,
                                std::chrono::milliseconds limit = std::chrono::milliseconds(1000));

/// A value for a mark that no other process has.
[[nodiscard]] std::string fresh_mark();

}  // namespace ductile::os
