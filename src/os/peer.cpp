#include "os/peer.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ductile/error.hpp"

namespace ductile::os {

Peer peer_of(int socket) {
    ucred peer{};
    socklen_t length = sizeof(peer);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return {};
    return {peer.pid, peer.uid};
}

bool has_hung_up(int socket) {
    char byte = 0;
    return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool has_unread(int socket) {
    int bytes = 0;
    return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void expect_own_user(int socket, const std::string& path) {
    const auto peer = peer_of(socket);
    if (peer.uid == ::geteuid()) return;
    throw SystemError("refused to talk to " + path + ": it is served by " +
                      (peer.pid < 0 ? "an unknown user" : "user " + std::to_string(peer.uid)));
}

}  // namespace ductile::os
