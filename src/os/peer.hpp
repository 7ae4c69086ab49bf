// The process at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

#include <string>

namespace ductile::os {

struct Peer {
    pid_t pid = -1;
    uid_t uid = static_cast<uid_t>(-1);
};

/// The peer, as the kernel reports it. For a client, this is the process that called listen(). All
/// fields are -1 if the kernel cannot tell.
[[nodiscard]] Peer peer_of(int socket);

/// Whether the peer will send no more: it has closed its end of the socket, or has ended.
[[nodiscard]] bool has_hung_up(int socket);
/// Whether the peer has not read all that was sent to it.
[[nodiscard]] bool has_unread(int socket);

/// Throws SystemError unless a process of this user is at the other end of a socket that was
/// connected to `path`. Another user may have made a socket at this path first.
void expect_own_user(int socket, const std::string& path);

}  // namespace ductile::os
