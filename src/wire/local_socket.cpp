#include "wire/local_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "ductile/error.hpp"
#include "os/peer.hpp"

namespace ductile::wire {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_kept = 16;

std::string errno_text(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

// True when the descriptor is ready before the deadline.
bool wait_for(int fd, short events, Clock::time_point deadline) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd one{fd, events, 0};
        const int n = ::poll(&one, 1, left > 0 ? static_cast<int>(left) : 0);
        if (n > 0) return true;
        if (n == 0) return false;
        if (errno != EINTR) throw SystemError(errno_text("poll on a local socket failed"));
    }
}

}  // namespace

LocalSocket LocalSocket::connect(const std::string& path, std::chrono::milliseconds deadline) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        throw InputError("cannot connect to " + path +
                         ": the path is longer than a Unix socket allows");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) throw SystemError(errno_text("cannot make a socket"));
    const auto until = Clock::now() + deadline;
    while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        if (errno != EINTR && errno != EAGAIN)
            throw SystemError(errno_text("cannot connect to " + path));
        if (Clock::now() > until)
            throw TimeoutError("cannot connect to " + path + ": nobody accepts");
        if (errno == EAGAIN) ::usleep(1000);
    }
    os::expect_own_user(fd.get(), path);
    return LocalSocket(std::move(fd));
}

void LocalSocket::send(const std::string& frame, const std::vector<int>& fds,
                       std::chrono::milliseconds deadline) {
    const auto until = Clock::now() + deadline;
    std::size_t sent = 0;
    while (sent < frame.size()) {
        iovec part{const_cast<char*>(frame.data()) + sent, frame.size() - sent};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
        if (sent == 0 && !fds.empty()) {
            message.msg_control = control;
            message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
            std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
        }
        const ssize_t n = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            sent += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for(fd_.get(), POLLOUT, until))
                throw TimeoutError("the peer of a local socket reads nothing");
        } else if (errno != EINTR) {
            throw SystemError(errno_text("cannot send on a local socket"));
        }
    }
}

std::optional<Message> LocalSocket::receive(std::chrono::milliseconds deadline,
                                            std::vector<Fd>* fds) {
    const auto until = Clock::now() + deadline;
    for (;;) {
        if (auto message = reader_.next()) {
            if (fds != nullptr)
                std::ranges::move(std::exchange(received_, {}), std::back_inserter(*fds));
            return message;
        }
        if (!wait_for(fd_.get(), POLLIN, until)) return std::nullopt;
        char buffer[16384];
        iovec part{buffer, sizeof(buffer)};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
        header.msg_control = control;
        header.msg_controllen = sizeof(control);
        const ssize_t n = ::recvmsg(fd_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            throw SystemError(errno_text("cannot receive on a local socket"));
        }
        for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
            if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
            const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
                Fd owned(fd);
                if (received_.size() < most_kept) received_.push_back(std::move(owned));
            }
        }
        if (n == 0) throw SystemError("the peer of a local socket has closed it");
        reader_.add({buffer, static_cast<std::size_t>(n)});
    }
}

}  // namespace ductile::wire
