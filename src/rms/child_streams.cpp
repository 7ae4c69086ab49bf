#include "rms/child_streams.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/descriptors.hpp"

namespace ductile::rms {

namespace {

using Stream = asio::posix::stream_descriptor;
using std::chrono::milliseconds;

constexpr int most_reads = 64;  // an endless writer must not block this thread

bool is_ready_within(int fd, short what, milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    for (auto left = time;;
         left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now())) {
        pollfd watched{fd, what, 0};
        const auto wait = std::max(left, milliseconds(0));
        const int n = ::poll(&watched, 1, static_cast<int>(wait.count()));
        if (n >= 0 || errno != EINTR) return n > 0;
    }
}

}  // namespace

bool is_readable_within(int fd, milliseconds time) {
    return is_ready_within(fd, POLLIN, time);
}

// --- input ---

void ChildInput::open(os::Fd ours) {
    os::never_block(ours);
    stream_.assign(ours.release());
}

void ChildInput::write(std::string_view text) {
    if (!stream_.is_open() || ends_) return;
    const bool is_idle = waiting_.empty();
    waiting_ += text;
    if (is_idle) flush();
}

// False: the child's buffer is full at the moment.
bool ChildInput::write_some() {
    while (stream_.is_open() && !waiting_.empty()) {
        const auto n =
            ::send(stream_.native_handle(), waiting_.data(), waiting_.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return false;
        if (n < 0) ends_ = true;  // the child reads no more
        waiting_.erase(0, n < 0 ? waiting_.size() : static_cast<std::size_t>(n));
    }
    if (ends_) close();
    return true;
}

void ChildInput::flush() {
    if (write_some()) return;
    stream_.async_wait(Stream::wait_write,
                       [self = shared_from_this()](const asio::error_code& failed) {
                           if (!failed && self->stream_.is_open()) self->flush();
                       });
}

void ChildInput::end() {
    ends_ = true;
    if (waiting_.empty()) close();
}

void ChildInput::end_by(std::chrono::steady_clock::time_point until) {
    ends_ = true;
    while (!write_some()) {
        const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
        if (left <= milliseconds(0)) return;
        is_ready_within(stream_.native_handle(), POLLOUT, left);
    }
}

void ChildInput::close() {
    asio::error_code ignored;
    stream_.close(ignored);
}

// --- output ---

void ChildOutput::open(os::Fd ours) {
    os::never_block(ours);
    stream_.assign(ours.release());
    wait_to_read();
}

void ChildOutput::wait_to_read() {
    stream_.async_wait(Stream::wait_read,
                       [self = shared_from_this()](const asio::error_code& failed) {
                           if (failed || !self->stream_.is_open()) return;
                           if (self->read_some() && self->stream_.is_open()) self->wait_to_read();
                       });
}

// False: no more output can come.
bool ChildOutput::read_some() {
    std::array<char, 16384> buffer{};
    const auto n = ::read(stream_.native_handle(), buffer.data(), buffer.size());
    if (n > 0) {
        if (take_) take_({buffer.data(), static_cast<std::size_t>(n)});
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    close();
    return false;
}

void ChildOutput::read_rest() {
    for (int i = 0; i < most_reads && stream_.is_open(); ++i)
        if (!is_readable_within(stream_.native_handle(), milliseconds(0)) || !read_some()) break;
}

void ChildOutput::close() {
    asio::error_code ignored;
    stream_.close(ignored);
}

}  // namespace ductile::rms
