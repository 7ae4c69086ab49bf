#include "agent/pmi_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace ductile::agent {

namespace {

constexpr std::size_t most_queued = 1u << 20;  // enough: answers are short, one for each question

}  // namespace

void PmiSocket::start(OnLine on_line) {
    on_line_ = std::move(on_line);
    wait_to_read();
}

void PmiSocket::wait_to_read() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const asio::error_code& error) {
                           if (error || !self->socket_.is_open()) return;
                           if (self->read_some() == More::later && self->socket_.is_open())
                               self->wait_to_read();
                       });
}

PmiSocket::More PmiSocket::read_some() {
    char buffer[16384];
    const auto n = ::recv(socket_.native_handle(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return More::later;
    if (n <= 0) return More::ended;
    const auto keep = on_line_;  // close() drops it
    for (const auto& line : lines_.add({buffer, static_cast<std::size_t>(n)})) {
        if (!socket_.is_open()) return More::ended;
        keep(line);
    }
    return More::later;
}

void PmiSocket::drain() {
    while (socket_.is_open()) {
        char byte = 0;
        const auto n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || read_some() == More::ended) return;
    }
}

bool PmiSocket::send(const std::string& line) {
    if (!socket_.is_open()) return true;
    if (outgoing_.size() + line.size() >= most_queued) return false;
    outgoing_ += line;
    outgoing_ += '\n';
    if (!writing_) write_some();
    return true;
}

void PmiSocket::write_some() {
    while (!outgoing_.empty()) {
        const auto n = ::send(socket_.native_handle(), outgoing_.data(), outgoing_.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n < 0) return outgoing_.clear();  // the rank is gone; its wait status says why
        outgoing_.erase(0, static_cast<std::size_t>(n));
    }
    if (outgoing_.empty()) return;
    writing_ = true;
    socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](const asio::error_code& error) {
                           self->writing_ = false;
                           if (!error && self->socket_.is_open()) self->write_some();
                       });
}

void PmiSocket::close() {
    asio::error_code ignored;
    socket_.close(ignored);
    on_line_ = nullptr;
}

}  // namespace ductile::agent
