#include "os/pipe.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::os {

Pipe make_pipe(const std::string& whose) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw SystemError("cannot make a pipe for " + whose + ": " + std::strerror(errno));
    return {Fd(ends[0]), Fd(ends[1])};
}

SocketPair make_sockets(const std::string& whose) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw SystemError("cannot make a pair of sockets for " + whose + ": " +
                          std::strerror(errno));
    return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace ductile::os
