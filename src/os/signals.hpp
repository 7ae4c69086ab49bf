// The signals that a job hears, and those that a process was started without.
#pragma once

#include <array>
#include <csignal>
#include <span>
#include <vector>

namespace ductile::os {

/// Signals that end a job.
inline constexpr std::array end_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// Signals that mean nothing to Ductile, and may mean something to the program: SIGUSR1, SIGUSR2,
/// SIGALRM, SIGVTALRM, SIGPROF, SIGURG, SIGIO, SIGPWR, SIGXCPU and the real-time signals.
[[nodiscard]] std::vector<int> program_signals();

/// Those of these signals that are not ignored. A caller that ignores a signal means it: nohup, or
/// a shell for a command that ends in `&`. So the process must not handle this signal.
[[nodiscard]] std::vector<int> not_ignored(std::span<const int> numbers);

/// For a process that helps ranks, and may get the signals that are for them.
void ignore_program_signals();

/// Blocks (SIG_BLOCK) or unblocks (SIG_UNBLOCK) one signal in this thread.
void mask_signal(int how, int number);

/// Stops this process as SIGTSTP does without a handler, until SIGCONT. Returns at once if nobody
/// could continue it: the kernel then ignores SIGTSTP.
void stop_this_process();

/// Unblocks all signals in this thread: one that the caller has blocked is an oversight.
void unblock_signals();

}  // namespace ductile::os
