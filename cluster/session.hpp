// The session of one `exec`: a small process on the host that starts the command, forwards signals
// to the command, ends the command if the caller dies, and reports how the command ended. It does
// for `exec` what sshd does for ssh. Each `exec` has its own session.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cluster/message.hpp"

namespace ductile::cluster {

/// The request of `exec`, without the host.
struct SessionRequest {
    mode_t umask = 022;
    std::string directory;
    std::vector<std::string> command;      ///< at least one word
    std::vector<std::string> environment;  ///< NAME=VALUE
};

Words to_words(const SessionRequest& request);
/// The reverse of to_words. Throws InputError for other words.
SessionRequest to_session_request(std::span<const std::string> words);

/// Runs the command with `files` as its standard input, output and error. Called in a new process
/// on the host. Returns the exit status for _exit. Sends Reply::started and then Reply::exited over
/// `caller`, and reads signal numbers from it, a byte each.
int run_session(const std::string& host, Descriptor caller, std::vector<Descriptor> files,
                SessionRequest request);

}  // namespace ductile::cluster
