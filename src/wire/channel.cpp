#include "wire/channel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <asio/post.hpp>
#include <asio/write.hpp>

#include "wire/tls_stream.hpp"

namespace ductile::wire {

namespace {

// A peer that dies by a signal sends no close_notify: OpenSSL says "truncated", TCP may say
// "reset".
Ending ending_of(const asio::error_code& error) {
    if (error == asio::error::eof) return Ending::goodbye;
    if (error == asio::ssl::error::stream_truncated || error == asio::error::connection_reset ||
        error == asio::error::broken_pipe)
        return Ending::died;
    return Ending::failed;
}

// Whether TCP has ended. If not, OpenSSL has given up with one of these errors, and TCP is open.
bool is_end_of_tcp(const asio::error_code& error) {
    return error.category() != asio::error::get_ssl_category() &&
           error != asio::ssl::error::unspecified_system_error &&
           error != asio::ssl::error::unexpected_result;
}

}  // namespace

void limit_unacknowledged(asio::ip::tcp::socket& socket, std::chrono::milliseconds limit) {
    const unsigned ms = static_cast<unsigned>(limit.count());
    if (ms == 0) return;
    const int handle = socket.native_handle();
    const int on = 1, seconds = static_cast<int>(ms / 1000) + 1;
    ::setsockopt(handle, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
    ::setsockopt(handle, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    ::setsockopt(handle, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
    ::setsockopt(handle, IPPROTO_TCP, TCP_KEEPINTVL, &on, sizeof(on));
}

Channel::Channel(std::unique_ptr<Stream> stream, ChannelLimits limits, std::string peer_address)
    : stream_(std::move(stream)), limits_(limits), peer_address_(std::move(peer_address)) {
    limit_unacknowledged(stream_->tls.next_layer(), limits_.unacknowledged);
}

Channel::~Channel() = default;

bool Channel::open() const {
    return state_ == State::made || state_ == State::open;
}

void Channel::start() {
    if (state_ != State::made) return;
    state_ = State::open;
    if (limits_.first_message.count() > 0) {
        stream_->timer.expires_after(limits_.first_message);
        stream_->timer.async_wait([self = shared_from_this()](const asio::error_code& error) {
            if (!error && !self->heard_ && self->state_ == State::open)
                self->fail("it said nothing in time");
        });
    }
    read();
    write();
}

void Channel::send(const Message& message) {
    if (!open()) return;
    const auto frame = to_frame(message);
    waiting_ += frame;
    queued_bytes_ += frame.size();
    if (queued_bytes_ > limits_.queue_bytes)
        return fail("it reads too slowly: " + std::to_string(queued_bytes_) + " bytes are waiting");
    if (state_ == State::open) write();
}

void Channel::write() {
    if (!writing_.empty() || state_ == State::shut || state_ == State::closed) return;
    if (waiting_.empty()) {
        if (state_ == State::closing) shut_down();
        return;
    }
    std::swap(writing_, waiting_);
    asio::async_write(stream_->tls, asio::buffer(writing_),
                      [self = shared_from_this()](const asio::error_code& error, std::size_t n) {
                          self->queued_bytes_ -= n;
                          self->writing_.clear();
                          if (self->state_ == State::closed) return;
                          if (error) return self->fail(error.message(), ending_of(error));
                          self->write();
                          if (self->on_drained && self->state_ == State::open &&
                              self->queued_bytes_ <= self->limits_.drained_bytes)
                              self->on_drained();
                      });
}

void Channel::read() {
    const bool wanted =
        (state_ == State::open && !paused_) || state_ == State::closing || state_ == State::shut;
    if (reading_ || !wanted) return;
    reading_ = true;
    stream_->tls.async_read_some(
        asio::buffer(stream_->buffer),
        [self = shared_from_this()](const asio::error_code& error, std::size_t n) {
            self->reading_ = false;
            if (self->state_ == State::closed) return;
            if (self->state_ == State::shut && error) return self->finish_shut_down(error);
            if (self->state_ == State::open) self->reader_.add({self->stream_->buffer.data(), n});
            self->deliver();
            if (error) return self->fail(error.message(), ending_of(error));
            self->read();
        });
}

// Delivers the complete messages, one at a time, because the receiver may pause or close between
// them.
void Channel::deliver() {
    if (delivering_) return;
    delivering_ = true;
    try {
        while (!paused_ && state_ == State::open) {
            auto message = reader_.next();
            if (!message) break;
            heard_ = true;
            if (on_message) on_message(std::move(*message));
        }
    } catch (const std::exception& error) {
        fail(error.what());
    }
    delivering_ = false;
}

void Channel::pause_reading() {
    paused_ = true;
}

void Channel::resume_reading() {
    if (!paused_) return;
    paused_ = false;
    if (state_ != State::open) return;
    asio::post(stream_->tls.get_executor(), [self = shared_from_this()] {
        self->deliver();
        self->read();
    });
}

void Channel::close() {
    if (!open()) return;
    state_ = State::closing;
    stream_->timer.expires_after(limits_.flush);
    stream_->timer.async_wait([self = shared_from_this()](const asio::error_code& error) {
        if (!error) self->fail("closed before all was sent", Ending::ours);
    });
    read();
    write();
}

// Sends close_notify, waits for the peer to close, and continues to read. Closing a socket with
// unread bytes resets the connection, which may lose the last messages.
void Channel::shut_down() {
    state_ = State::shut;
    stream_->tls.async_shutdown([self = shared_from_this()](const asio::error_code& error) {
        self->finish_shut_down(error);
    });
    stream_->timer.expires_after(limits_.flush);
    stream_->timer.async_wait([self = shared_from_this()](const asio::error_code& error) {
        if (!error) self->ended("", Ending::ours);
    });
}

// Shutting down and reading run at the same time. Asio reports the end of TCP to only one of them.
// During the shutdown OpenSSL treats data as an error and reads no more. So discard() reads the
// remaining bytes from the TCP socket.
void Channel::finish_shut_down(const asio::error_code& error) {
    if (state_ != State::shut) return;
    if (is_end_of_tcp(error)) return ended("", Ending::ours);
    if (!reading_) discard();
}

void Channel::discard() {
    if (state_ != State::shut) return;
    stream_->tls.next_layer().async_read_some(
        asio::buffer(stream_->buffer),
        [self = shared_from_this()](const asio::error_code& error, std::size_t) {
            if (error) return self->ended("", Ending::ours);
            self->discard();
        });
}

void Channel::fail(const std::string& why, Ending ending) {
    ended(why, state_ == State::closing || state_ == State::shut ? Ending::ours : ending);
}

void Channel::ended(const std::string& why, Ending ending) {
    if (state_ == State::closed) return;
    state_ = State::closed;
    asio::error_code ignored;
    stream_->timer.cancel();
    stream_->tls.next_layer().close(ignored);
    asio::post(stream_->tls.get_executor(), [self = shared_from_this(), why, ending] {
        const auto tell = std::exchange(self->on_closed, nullptr);
        self->on_message = nullptr;
        self->on_drained = nullptr;
        if (tell) tell(why, ending);
    });
}

}  // namespace ductile::wire
