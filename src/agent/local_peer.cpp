#include <sys/socket.h>

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "agent/local_server.hpp"
#include "os/peer.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_queued_bytes = 8u << 20;
constexpr std::size_t max_descriptors = 8;

void take_descriptors(msghdr& header, std::vector<wire::Fd>& into) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            wire::Fd owned(fd);
            if (into.size() < max_descriptors) into.push_back(std::move(owned));
        }
    }
}

}  // namespace

LocalPeer::LocalPeer(asio::local::stream_protocol::socket socket) : socket_(std::move(socket)) {
    asio::error_code ignored;
    socket_.native_non_blocking(true, ignored);
    const auto peer = os::peer_of(socket_.native_handle());
    pid_ = peer.pid;
    uid_ = peer.uid;
}

void LocalPeer::start() {
    wait_to_read();
}

void LocalPeer::wait_to_read() {
    socket_.async_wait(asio::socket_base::wait_read,
                       [self = shared_from_this()](const asio::error_code& error) {
                           if (error || !self->open_) return;
                           if (self->read_some() == More::later && self->open_)
                               self->wait_to_read();
                       });
}

// Reads once and delivers the messages that are whole.
LocalPeer::More LocalPeer::read_some() {
    char buffer[65536];
    iovec part{buffer, sizeof(buffer)};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(max_descriptors * sizeof(int))] = {};
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t n = ::recvmsg(socket_.native_handle(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return More::later;
    if (n <= 0) {
        close(n == 0 ? "it closed the connection" : std::strerror(errno));
        return More::ended;
    }
    take_descriptors(header, received_);
    try {
        reader_.add({buffer, static_cast<std::size_t>(n)});
        while (open_) {
            auto message = reader_.next();
            if (!message) break;
            auto descriptors = std::exchange(received_, {});
            const auto handler = on_message;  // it may replace itself
            if (handler) handler(std::move(*message), std::move(descriptors));
        }
    } catch (const std::exception& error) {
        close(error.what());
    }
    return open_ ? More::later : More::ended;
}

void LocalPeer::drain() {
    while (open_) {
        char byte = 0;
        const ssize_t n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (read_some() == More::ended) return;
    }
}

void LocalPeer::send(const std::string& frame, wire::Fd descriptor) {
    if (!open_ || deaf_) return;
    if (outgoing_.bytes() + frame.size() > max_queued_bytes) return close("it reads nothing");
    outgoing_.add(frame, std::move(descriptor));
    if (!writing_) write_some();
}

// One that has gone may have said something before that is still unread: reading comes to the end
// by itself.
void LocalPeer::write_some() {
    if (!open_) return;
    switch (outgoing_.write_to(socket_.native_handle())) {
        case FrameQueue::Written::all:
            return;
        case FrameQueue::Written::some:
            return wait_to_write();
        case FrameQueue::Written::failed:
            deaf_ = true;
            outgoing_.clear();
    }
}

void LocalPeer::wait_to_write() {
    writing_ = true;
    socket_.async_wait(asio::socket_base::wait_write,
                       [self = shared_from_this()](const asio::error_code& error) {
                           self->writing_ = false;
                           if (!error) self->write_some();
                       });
}

void LocalPeer::close(const std::string& why) {
    if (!open_) return;
    open_ = false;
    asio::error_code ignored;
    socket_.close(ignored);
    asio::post(socket_.get_executor(), [self = shared_from_this(), why] {
        const auto tell = std::exchange(self->on_closed, nullptr);
        self->on_message = nullptr;
        if (tell) tell(why);
    });
}

}  // namespace ductile::agent
