#include "wire/local_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include "ductile/error.hpp"
#include "os/passed_descriptors.hpp"
#include "os/peer.hpp"

namespace ductile::wire {

namespace {

using Clock = std::chrono::steady_clock;

std::string errno_text(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

// True: the descriptor is ready before the deadline.
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
    // If too many connections wait for the server's accept, connect() waits, but not longer than
    // this.
    const auto until = Clock::now() + deadline;
    for (;;) {
        const auto left = std::max<std::chrono::microseconds>(
            std::chrono::duration_cast<std::chrono::microseconds>(until - Clock::now()),
            std::chrono::microseconds(1));
        const timeval limit{left.count() / 1'000'000, left.count() % 1'000'000};
        ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
            break;
        if (errno == EAGAIN)
            throw TimeoutError("cannot connect to " + path +
                               ": no process accepts the connection in time");
        if (errno != EINTR) throw SystemError(errno_text("cannot connect to " + path));
    }
    os::expect_own_user(fd.get(), path);
    return LocalSocket(std::move(fd));
}

void LocalSocket::send(const std::string& frame, const std::vector<int>& fds,
                       std::chrono::milliseconds deadline) {
    const auto until = Clock::now() + deadline;
    std::size_t sent = 0;
    while (sent < frame.size()) {
        const auto rest = std::string_view(frame).substr(sent);
        const ssize_t n = os::send_passing(
            fd_.get(), rest, sent == 0 ? std::span(fds) : std::span<const int>(), MSG_DONTWAIT);
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
        auto message = reader_.next();
        if (message && fds != nullptr) {
            std::ranges::move(passed_, std::back_inserter(*fds));
            passed_.clear();
        }
        if (message) return message;
        if (!wait_for(fd_.get(), POLLIN, until)) return std::nullopt;
        std::array<char, 16384> buffer{};
        const ssize_t n = os::receive_passed(fd_.get(), buffer, passed_);
        if (n < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            throw SystemError(errno_text("cannot receive on a local socket"));
        }
        if (n == 0) throw SystemError("the peer of a local socket has closed it");
        reader_.add({buffer.data(), static_cast<std::size_t>(n)});
    }
}

}  // namespace ductile::wire
