// Starts a program as a child of this process.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::os {

struct Spawn {
    std::vector<std::string> argv;
    std::vector<std::string> environment;      ///< all of it
    std::string file;                          ///< of the program; empty: argv[0]
    std::string directory;                     ///< empty: this process's
    std::optional<int> umask;                  ///< nothing: this process's
    std::vector<std::string> resource_limits;  ///< "RESOURCE SOFT HARD"; -1 is infinity
    int input = -1, output = -1, error = -1;   ///< become its 0, 1 and 2
    int extra = -1;                            ///< becomes its descriptor `extra_becomes`, if given
    /// What it gets when the calling thread dies; 0: nothing, it lives on.
    int death_signal = SIGKILL;
    static constexpr int extra_becomes = 3;
};

struct SpawnResult {
    enum class Step { started, session, directory, program };
    pid_t pid = -1;
    Step step = Step::started;  ///< what has failed
    int error = 0;              ///< errno then
};

/// The child is the leader of a session of its own. Its signals are unblocked and have their
/// default action. Of this process's descriptors it keeps those given. It shares this process's
/// memory until it has entered its program, so the size of this process does not matter. May be
/// called from several threads at once. Throws InputError for an empty argv or a bad limit.
[[nodiscard]] SpawnResult try_spawn(const Spawn& what);

/// The child's pid. Throws SystemError that names the program (or the directory), too.
pid_t spawn(const Spawn& what);

/// Where a shell finds the program: in the folders of `path`, which has ':' between them. A name
/// with '/', and one that is in none of them, is returned as it is.
[[nodiscard]] std::string find_program(const std::string& name, std::string_view path);

}  // namespace ductile::os
