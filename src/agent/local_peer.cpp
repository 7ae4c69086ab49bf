#include <sys/socket.h>

#include <array>
#include <asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "agent/local_server.hpp"
#include "os/passed_descriptors.hpp"
#include "os/peer.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_queued_bytes = 8u << 20;

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

// Reads once, and delivers the complete messages.
LocalPeer::More LocalPeer::read_some() {
    std::array<char, 65536> buffer;
    const ssize_t n = os::receive_passed(socket_.native_handle(), buffer, received_);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return More::later;
    if (n <= 0) {
        close(n == 0 ? "it closed the connection" : std::strerror(errno));
        return More::ended;
    }
    // Limits the descriptors that wait for their message.
    if (received_.size() > os::max_passed) received_.resize(os::max_passed);
    try {
        reader_.add({buffer.data(), static_cast<std::size_t>(n)});
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

// If the write fails, the peer is gone, but it may have sent messages that are not read yet. The
// reading side notices the end itself.
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
