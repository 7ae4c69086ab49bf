// Starts a program as a child of the agent: it dies with the agent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ductile::agent {

struct Spawn {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  ///< all of it
    std::string directory;                 ///< empty: stay
    int umask = 022;
    std::vector<std::string> resource_limits;  ///< "RESOURCE SOFT HARD"; -1 is infinity
    int input = -1, output = -1, error = -1;   ///< become its 0, 1 and 2
    int extra = -1;                            ///< becomes its descriptor `extra_becomes`, if given
    static constexpr int extra_becomes = 3;
};

/// Its pid; it is the leader of a session of its own. Throws SystemError that names the program (or
/// the directory), InputError for a bad limit. To be called from the main thread only: the tie to
/// the agent (PR_SET_PDEATHSIG) is to the thread that forks.
pid_t spawn(const Spawn& what);

}  // namespace ductile::agent
