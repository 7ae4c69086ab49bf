// One `exec` on its host: a small process that starts the command, passes signals on to it, ends it
// when the caller dies, and tells the caller how it ended. What sshd is to ssh, one for each
// connection.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cluster/message.hpp"

namespace ductile::cluster {

/// What `exec` asks for, beside the host.
struct SessionRequest {
    mode_t umask = 022;
    std::string directory;
    std::vector<std::string> command;      ///< at least one word
    std::vector<std::string> environment;  ///< NAME=VALUE
};

Words to_words(const SessionRequest& request);
/// `words` as made by to_words. Throws InputError for any other.
SessionRequest to_session_request(std::span<const std::string> words);

/// Runs the command with `files` as its standard input, output and error. In a fresh process on the
/// host; returns its exit status for _exit. On `caller` it sends Reply::started, then
/// Reply::exited, and reads signal numbers, a byte each.
int run_session(const std::string& host, Descriptor caller, std::vector<Descriptor> files,
                SessionRequest request);

}  // namespace ductile::cluster
