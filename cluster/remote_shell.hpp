// `exec`: runs a command on a host and behaves as if it were that command.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ductile::cluster {

/// By which way the host is reached.
enum class Reach {
    network,  ///< not while it, or the host this runs on, is cut off: as a remote shell
    console,  ///< always: for a look at a host that is cut off
};

struct RemoteCommand {
    std::string host;
    std::vector<std::string> words;
    Reach reach = Reach::network;
    std::chrono::milliseconds connect_within{15'000};  ///< for a host that is frozen or cut off
};

/// What exec itself returns when the host cannot be reached or is lost, as ssh does.
inline constexpr int no_connection = 255;

/// Keeps the signals that run_remote passes on for it, from now: Ctrl-C must not end this process
/// before it has something to clean up by.
void hold_signals();

/// Returns the command's exit code (128 + signal). Standard files, directory, environment and umask
/// are this process's; HUP, INT, QUIT, TERM, USR1, USR2 and WINCH are passed on. Throws SystemError
/// when the host is out of reach.
int run_remote(const std::string& state_dir, const RemoteCommand& command);

}  // namespace ductile::cluster
