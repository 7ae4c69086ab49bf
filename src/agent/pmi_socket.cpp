#include "agent/pmi_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace ductile::agent {

namespace {

constexpr std::size_t most_queued = 1u << 20;    // enough: answers are short, one for each question
constexpr std::size_t most_together = 4u << 20;  // more than the longest request

}  // namespace

void PmiSocket::start(OnLines on_lines, std::function<void()> on_end) {
    on_lines_ = std::move(on_lines);
    on_end_ = std::move(on_end);
    wait_to_read();
}

void PmiSocket::hand_over(OnLines on_lines, std::function<void()> on_end) {
    on_lines_ = std::move(on_lines);
    on_end_ = std::move(on_end);
    together_ = most_together;
}

void PmiSocket::wait_to_read() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const asio::error_code& error) {
                           if (error || !self->socket_.is_open()) return;
                           self->drain();
                           if (!self->has_ended_ && self->socket_.is_open()) self->wait_to_read();
                       });
}

void PmiSocket::drain() {
    std::vector<std::string> lines;
    std::size_t bytes = 0;
    while (socket_.is_open() && bytes < together_) {
        char buffer[16384];
        const auto n = ::recv(socket_.native_handle(), buffer, sizeof(buffer), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        has_ended_ = n == 0 || (n < 0 && errno != EAGAIN);
        if (n <= 0) break;
        bytes += static_cast<std::size_t>(n);
        for (auto& line : lines_.add({buffer, static_cast<std::size_t>(n)}))
            lines.push_back(std::move(line));
    }
    const auto keep = on_lines_;  // close() drops it
    if (!lines.empty() && keep) keep(lines);
    if (const auto tell = has_ended_ ? std::exchange(on_end_, nullptr) : nullptr) tell();
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
    on_lines_ = nullptr;
    on_end_ = nullptr;
}

}  // namespace ductile::agent
