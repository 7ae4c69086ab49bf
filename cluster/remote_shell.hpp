// `exec`: runs a command on a host and behaves as if it were that command.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ductile::cluster {

/// The way to the host.
enum class Reach {
    network,  ///< as a remote shell: waits while the caller's host or the other host is cut off
    console,  ///< does not wait for a host that is cut off, so that a user can look at it
};

struct RemoteCommand {
    std::string host;
    std::vector<std::string> words;
    Reach reach = Reach::network;
    std::chrono::milliseconds connect_within{15'000};  ///< limit for a frozen or cut-off host
};

/// The exit code of `exec` itself if the host cannot be reached or is lost, as with ssh.
inline constexpr int no_connection = 255;

/// Blocks the signals that run_remote forwards. Otherwise Ctrl-C could end this process before it
/// can clean up.
void hold_signals();

/// Returns the command's exit code (128 + signal). The command gets the standard files, directory,
/// environment and umask of this process. HUP, INT, QUIT, TERM, USR1, USR2 and WINCH are forwarded.
/// Throws SystemError if the host cannot be reached or is lost. A signal (except WINCH) that
/// arrives before the command starts ends the attempt: then the result is 128 + signal.
int run_remote(const std::string& state_dir, const RemoteCommand& command);

}  // namespace ductile::cluster
