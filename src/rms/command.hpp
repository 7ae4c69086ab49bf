// Runs a program from an argument vector, with a deadline. No process of it is left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "rms/command_environment.hpp"

namespace ductile::rms {

struct Command {
    std::vector<std::string>
        arguments;            ///< program first; without '/' it is searched in `environment`'s PATH
    Environment environment;  ///< the whole environment: nothing is inherited
    std::string directory;    ///< where the command runs; empty: where this process runs
    std::chrono::milliseconds deadline{10'000};
    std::chrono::milliseconds grace{
        500};                             ///< from SIGTERM to SIGKILL, once the deadline has passed
    std::chrono::milliseconds settle{0};  ///< how long descendants may outlive the command
    std::size_t max_output_bytes =
        std::size_t{64} * 1024;  ///< limit for each stream; the rest is read and dropped
    std::vector<int> cancel_on;  ///< the command is ended when one of these descriptors is readable
                                 ///< or closed at its other end
    int death_signal = SIGKILL;  ///< the command gets it when the calling thread dies
};

/// The environment variable by which all processes of a command are found. Some commands, such as
/// sbatch, pass their environment on to processes that must outlive them. `env -u` can remove the
/// variable from the environment of such a command.
inline constexpr const char* command_mark = "DUCTILE_COMMAND";

enum class Ended { exited, signalled, deadline_passed, cancelled, not_started };

/// A process that a command left behind. It has been killed since.
struct LeftProcess {
    pid_t pid = 0;
    std::string command_line;
    bool operator==(const LeftProcess&) const = default;
};

/// The time limit for the end of a killed process.
inline constexpr std::chrono::milliseconds kill_limit{1000};

struct CommandResult {
    Ended ended = Ended::not_started;
    int code = 0;  ///< exit status, or the signal's number. For `not_started`: errno, or 0 if `err`
                   ///< says why
    std::string out;
    std::string err;
    bool output_dropped = false;  ///< a stream had more than `max_output_bytes`
    std::chrono::milliseconds took{0};
    std::vector<LeftProcess> left_behind;

    [[nodiscard]] bool succeeded() const { return ended == Ended::exited && code == 0; }
};

/// Runs the command to its end, its deadline or its cancellation, without standard input, in its
/// own session. Then kills the processes that the command left behind: processes of its session,
/// and processes that left the session but have its mark in their environment. The whole call takes
/// at most deadline + grace + settle + 2 s. The command gets `death_signal` when the calling thread
/// dies (PR_SET_PDEATHSIG). Several threads may call this at the same time. The start is fast in a
/// large process, too, because the memory of the process is not copied.
/// Precondition: no other code in this process reaps all children (`waitpid(-1)`, SIGCHLD ignored).
/// Throws SystemError when descriptors run out, and std::system_error when the kernel refuses a
/// call.
[[nodiscard]] CommandResult run_command(const Command& command);

/// How a command ended, for use in a sentence: "exit code 3", "killed by signal 9 (Killed)", "no
/// end within 5.0 s".
[[nodiscard]] std::string how_it_ended(const Command& command, const CommandResult& result);

/// Ends and reaps all descendants of this process. Only for a process that is a sub-reaper
/// (PR_SET_CHILD_SUBREAPER), and only while it runs no command.
std::vector<LeftProcess> end_all_descendants();

/// These processes with their command lines, as far as they can be read.
std::vector<LeftProcess> described(const std::vector<pid_t>& pids);

}  // namespace ductile::rms
