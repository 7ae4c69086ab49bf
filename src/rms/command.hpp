// A program run from an argument vector, with a deadline, and nothing of it left behind.
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
        arguments;  ///< the program first; without '/' it is sought in `environment`'s PATH
    Environment environment;  ///< all of it: nothing is inherited
    std::string directory;    ///< where it runs; empty: where this process runs
    std::chrono::milliseconds deadline{10'000};
    std::chrono::milliseconds grace{
        500};                             ///< from SIGTERM to SIGKILL, once the deadline has passed
    std::chrono::milliseconds settle{0};  ///< how long its descendants may take to end after it
    std::size_t max_output_bytes =
        std::size_t{64} * 1024;  ///< kept of each stream; the rest is read and dropped
    std::vector<int> cancel_on;  ///< descriptors; one that becomes readable, or whose other end is
                                 ///< closed, ends the command
    int death_signal = SIGKILL;  ///< what the command gets when the calling thread dies
};

enum class Ended { exited, signalled, deadline_passed, cancelled, not_started };

/// A process that a command left behind when it ended; it has been ended since.
struct LeftProcess {
    pid_t pid = 0;
    std::string command_line;
    bool operator==(const LeftProcess&) const = default;
};

/// For a killed process to end.
inline constexpr std::chrono::milliseconds kill_limit{1000};

struct CommandResult {
    Ended ended = Ended::not_started;
    int code = 0;  ///< exit status, or the signal's number, or errno of what could not be started
    std::string out;
    std::string err;
    bool output_dropped = false;  ///< a stream had more than `max_output_bytes`
    std::chrono::milliseconds took{0};
    std::vector<LeftProcess> left_behind;

    [[nodiscard]] bool succeeded() const { return ended == Ended::exited && code == 0; }
};

/// Runs the command to its end, its deadline or its cancellation, with no standard input, in a
/// session of its own; then ends whatever of it is still there: processes of its session, and those
/// that left it but carry its mark in their environment. Returns within deadline + grace + settle +
/// 2 s. The command gets `death_signal` when the calling thread dies (PR_SET_PDEATHSIG). May be
/// called from several threads at once, in a process of any size (its memory is not copied).
/// Precondition: nobody else in this process reaps all children (`waitpid(-1)`, SIGCHLD ignored).
/// Throws SystemError when descriptors run out, std::system_error when the kernel refuses a call.
[[nodiscard]] CommandResult run_command(const Command& command);

/// How a command ended, as a half sentence: "exit code 3", "killed by signal 9 (Killed)", "no end
/// within 5.0 s".
[[nodiscard]] std::string how_it_ended(const Command& command, const CommandResult& result);

/// Ends and reaps every descendant of this process. For a process that is a sub-reaper
/// (PR_SET_CHILD_SUBREAPER), while it runs no command.
std::vector<LeftProcess> end_all_descendants();

/// With their command lines, as far as they can be read.
std::vector<LeftProcess> described(const std::vector<pid_t>& pids);

}  // namespace ductile::rms
