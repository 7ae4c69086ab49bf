// The start of a command's process: no copy of this process's memory, a session of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ductile::rms {

struct ChildStart {
    std::string path;                      ///< of the program
    std::vector<std::string> arguments;    ///< argv, the program's name first
    std::vector<std::string> environment;  ///< "NAME=value"
    std::string directory;                 ///< empty: this process's
    int standard_output = -1;              ///< descriptors of 3 and above that it writes to
    int standard_error = -1;
    int standard_input = -1;
    int death_signal = 0;  ///< when the calling thread dies
};

struct StartedChild {
    pid_t pid = -1;  ///< also its session and process group; -1: not started
    int error = 0;   ///< errno when not started
};

/// Starts a process that shares this one's memory until it has entered its program (as posix_spawn
/// does, which cannot set PR_SET_PDEATHSIG). It gets `death_signal` when the
/// calling thread dies; its signals are
/// unblocked and default; of this process's descriptors it keeps the three given, as 0, 1 and 2.
[[nodiscard]] StartedChild start_child(const ChildStart& start);

}  // namespace ductile::rms
