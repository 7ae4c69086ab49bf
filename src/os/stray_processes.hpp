// Finds processes in /proc, such as those that outlive the process that started them. Kills
// processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ductile::os {

/// Which processes to find. A process is found by a mark in its environment (which its children
/// inherit), by its session, or as an orphan that the kernel made a child of this process.
/// Descendants of a process that is found are found, too. A process that has `mark` with another
/// value, or `mark` without `second_mark`, is never found.
struct ProcessSelector {
    std::string mark;         ///< "NAME=value"; if it ends with '.', any value that begins so
    std::string second_mark;  ///< must be there beside `mark`; of the same form; empty: none
    pid_t session = 0;        ///< 0: none
    /// Whether to find also children of this process without the variable of `mark` (their
    /// environment was cleared), except those in `known`.
    bool unmarked_orphans = false;
    std::set<pid_t> known;
};

/// Living processes (no zombies) of this host that the selector finds. Leaves out this process, and
/// the leader of `session`: the parent of the leader waits for the leader.
[[nodiscard]] std::vector<pid_t> find_processes(const ProcessSelector& whose);

/// Living descendants of this process: children, their children, and so on.
[[nodiscard]] std::vector<pid_t> find_descendants();

/// Kills each process. A process that is gone already is no error.
void kill_processes(const std::vector<pid_t>& pids);

/// Calls `find` and kills the processes that it returns, again and again until `find` returns none
/// or `limit` has passed: a process may start another one just before it is killed. Reaps the
/// children of this process among them. Returns all processes that it killed. Sleeps between the
/// searches, so an event loop must not call it.
std::set<pid_t> kill_until_none(const std::function<std::vector<pid_t>()>& find,
                                std::chrono::milliseconds limit = std::chrono::milliseconds(1000));

/// A value for a mark that no other process has.
[[nodiscard]] std::string fresh_mark();

}  // namespace ductile::os
