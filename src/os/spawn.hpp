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
    std::vector<std::string> environment;      ///< the whole environment of the child
    std::string file;                          ///< path of the program; empty: argv[0] is the path
    std::string directory;                     ///< empty: the directory of this process
    std::optional<int> umask;                  ///< nullopt: the umask of this process
    std::vector<std::string> resource_limits;  ///< "RESOURCE SOFT HARD"; -1 is infinity
    int input = -1, output = -1, error = -1;   ///< required; the child's descriptors 0, 1 and 2
    int extra = -1;  ///< if given, becomes the child's descriptor `extra_becomes`
    /// The signal that the child gets when the calling thread dies; 0: no signal, the child lives
    /// on.
    int death_signal = SIGKILL;
    bool own_session = true;  ///< false: the child leads only a process group of its own
    static constexpr int extra_becomes = 3;
};

struct SpawnResult {
    /// session: the fork, the session, the death signal or the descriptors of the child. directory:
    /// its change to `Spawn::directory`. program: the execution of the program.
    enum class Step { started, session, directory, program };
    pid_t pid = -1;
    Step step = Step::started;  ///< the step that failed; started: none
    int error = 0;              ///< errno of the failed step
};

/// Starts the program. The child leads a session or a process group of its own. Its signals are
/// unblocked and have their default action. It inherits only the given descriptors. It shares the
/// memory of this process until it executes its program, so the size of this process does not
/// matter. Several threads may call this at the same time. Throws InputError for an empty argv or a
/// bad limit.
[[nodiscard]] SpawnResult try_spawn(const Spawn& what);

/// Like try_spawn(), but returns the child's pid. If a step fails, throws SystemError that names
/// the program or the directory.
pid_t spawn(const Spawn& what);

/// The environment of this process, as Spawn takes it.
[[nodiscard]] std::vector<std::string> own_environment();

/// The file that a shell finds: searches the folders of `path`, which are separated by ':'. Returns
/// `name` unchanged if it contains '/' or is in none of the folders.
[[nodiscard]] std::string find_program(const std::string& name, std::string_view path);

}  // namespace ductile::os
