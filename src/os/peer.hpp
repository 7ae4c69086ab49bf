// Who is at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

#include <string>

namespace ductile::os {

struct Peer {
    pid_t pid = -1;
    uid_t uid = static_cast<uid_t>(-1);
};

/// As the kernel knows it: of a listening socket, who listened. Nobody (-1) when it cannot tell.
[[nodiscard]] Peer peer_of(int socket);

/// Throws SystemError unless a process of this user is at the other end: whoever serves `path` may
/// be another user who was first to take the name.
void expect_own_user(int socket, const std::string& path);

}  // namespace ductile::os
