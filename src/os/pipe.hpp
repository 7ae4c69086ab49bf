// Pairs of descriptors that are closed on exec.
#pragma once

#include <string>

#include "os/fd.hpp"

namespace ductile::os {

struct Pipe {
    Fd read, write;
};
/// `whose` completes the message of the SystemError: "cannot make a pipe for WHOSE: ...".
Pipe make_pipe(const std::string& whose);

/// Two Unix stream sockets, connected with each other.
struct SocketPair {
    Fd ours, theirs;
};
SocketPair make_sockets(const std::string& whose);

}  // namespace ductile::os
