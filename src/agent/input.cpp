#include "agent/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os/descriptors.hpp"
#include "os/pipe.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t enough_waiting = 256u << 10;

}  // namespace

os::Fd Input::open(core::Process owner) {
    auto pipe = os::make_pipe("standard input");
    os::never_block(pipe.write);
    asio::error_code ignored;
    pipe_.close(ignored);
    pipe_.assign(pipe.write.release(), ignored);
    owner_ = owner;
    started_ = true;
    write();
    if (!channel_ && !at_end_) on_wanted_();
    return std::move(pipe.read);
}

void Input::attach(std::shared_ptr<wire::Channel> channel) {
    channel_ = std::move(channel);
    settle();
}

void Input::give(const std::string& data) {
    if (at_end_) return;
    if (data.empty()) at_end_ = true;
    waiting_ += data;
    write();
}

void Input::finish() {
    at_end_ = true;
    write();
}

void Input::end_of(core::Process owner) {
    if (owner_ != owner) return;
    owner_.reset();
    asio::error_code ignored;
    pipe_.close(ignored);
    waiting_.clear();
    started_ = false;
    settle();
}

void Input::write() {
    if (!started_ || writing_) return settle();
    std::size_t done = 0;
    while (pipe_.is_open() && done < waiting_.size()) {
        const ssize_t n =
            ::write(pipe_.native_handle(), waiting_.data() + done, waiting_.size() - done);
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (n < 0 && errno == EAGAIN) {
            wait();
            break;
        } else if (n < 0 && errno != EINTR) {
            asio::error_code ignored;
            pipe_.close(ignored);  // the rank does not read any more
        }
    }
    waiting_.erase(0, done);
    if (!pipe_.is_open()) waiting_.clear();
    if (waiting_.empty() && at_end_) {
        asio::error_code ignored;
        pipe_.close(ignored);
    }
    settle();
}

void Input::wait() {
    writing_ = true;
    pipe_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [this](const asio::error_code& error) {
                         writing_ = false;
                         if (error != asio::error::operation_aborted) write();
                     });
}

void Input::settle() {
    if (!channel_) return;
    if (waiting_.size() >= enough_waiting)
        channel_->pause_reading();
    else
        channel_->resume_reading();
}

}  // namespace ductile::agent
