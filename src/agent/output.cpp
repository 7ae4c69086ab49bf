#include "agent/output.hpp"
#include "os/descriptors.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ductile::agent {

namespace {

constexpr std::size_t enough_queued = 1u << 20;
constexpr auto after_group = std::chrono::seconds(2);
constexpr auto partial_after = std::chrono::milliseconds(200);

bool holds_something(int pipe) {
    int bytes = 0;
    return ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

void Output::started(StartedRank& rank) {
    add(rank.who, 1, std::move(rank.output));
    add(rank.who, 2, std::move(rank.error));
}

void Output::add(const core::Process& who, int stream, os::Fd fd) {
    os::never_block(fd);
    auto pipe = std::make_shared<Pipe>(io_, fd.release());
    pipe->group = who.group;
    pipe->rank = who.rank;
    pipe->stream = stream;
    if (stream == 1 ? partial_.in_stdout : partial_.in_stderr)
        pipe->line_end = LineEnd::newline_or_return;
    pipes_.push_back(pipe);
    wait(pipe);
}

bool Output::may_read() const {
    return file_ || (channel_ && channel_->open() && channel_->queued_bytes() < enough_queued);
}

void Output::wait(const std::shared_ptr<Pipe>& pipe) {
    if (pipe->waiting || (channel_ && !may_read()) || !pipe->source.is_open()) return;
    pipe->waiting = true;
    pipe->source.async_wait(asio::posix::stream_descriptor::wait_read,
                            [this, pipe](const asio::error_code& error) {
                                pipe->waiting = false;
                                if (!error) read(pipe);
                            });
}

void Output::read(const std::shared_ptr<Pipe>& pipe) {
    if (!pipe->source.is_open()) return;
    if (!may_read() && holds_something(pipe->source.native_handle())) {
        if (!channel_) on_wanted_();
        return;
    }
    char buffer[65536];
    const ssize_t n = ::read(pipe->source.native_handle(), buffer, sizeof(buffer));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return end(pipe);
    if (n > 0) take(pipe, {buffer, static_cast<std::size_t>(n)});
    wait(pipe);
}

void Output::take(const std::shared_ptr<Pipe>& pipe, std::string_view bytes) {
    pass_on(*pipe, pipe->lines.add(bytes, pipe->line_end));
    if (pipe->line_end == LineEnd::newline_or_return) pass_partial_on_later(pipe);
}

// Text that is added meanwhile does not put it off: dots that show progress may never pause.
void Output::pass_partial_on_later(const std::shared_ptr<Pipe>& pipe) {
    if (pipe->partial_waits || !pipe->lines.has_partial()) return;
    pipe->partial_waits = true;
    pipe->partial_timer.expires_after(partial_after);
    pipe->partial_timer.async_wait([this, pipe](const asio::error_code& error) {
        pipe->partial_waits = false;
        if (error || !pipe->source.is_open()) return;
        if (!channel_) return;  // see attach()
        if (!may_read()) return pass_partial_on_later(pipe);
        pass_on(*pipe, pipe->lines.partial());
    });
}

void Output::pass_on(const Pipe& pipe, std::string data) {
    if (data.empty()) return;
    if (file_) return file_->write(data);
    if (channel_)
        channel_->send(
            wire::FromStream{wire::Output{pipe.group, pipe.rank, pipe.stream, std::move(data)}});
}

void Output::end(const std::shared_ptr<Pipe>& pipe) {
    pass_on(*pipe, pipe->lines.rest());
    pipe->timer.cancel();
    pipe->partial_timer.cancel();
    asio::error_code ignored;
    pipe->source.close(ignored);
    pipes_.remove(pipe);
    on_change_();
}

void Output::group_ended(core::GroupId group) {
    for (const auto& pipe : pipes_) {
        if (pipe->group != group || pipe->gone) continue;
        pipe->gone = true;
        last_look(pipe);
    }
}

// Ends the pipe after 2 s, or later if it could not be read because the reader is slow.
void Output::last_look(const std::shared_ptr<Pipe>& pipe) {
    pipe->timer.expires_after(after_group);
    pipe->timer.async_wait([this, pipe](const asio::error_code& error) {
        if (error || !pipe->source.is_open()) return;
        if (!may_read() && holds_something(pipe->source.native_handle())) return last_look(pipe);
        // A pipe holds at most 1 MiB. The loop reads no more, because another process may still
        // write to the pipe, perhaps for ever.
        for (std::size_t left = 1u << 20; left > 0 && pipe->source.is_open();) {
            char buffer[65536];
            const auto n = ::read(pipe->source.native_handle(), buffer, sizeof(buffer));
            if (n <= 0) break;
            left -= std::min(left, static_cast<std::size_t>(n));
            take(pipe, {buffer, static_cast<std::size_t>(n)});
        }
        end(pipe);
    });
}

void Output::attach(std::shared_ptr<wire::Channel> channel) {
    channel_ = std::move(channel);
    file_.reset();
    for (const auto& pipe : pipes_)
        if (pipe->line_end == LineEnd::newline_or_return) pass_partial_on_later(pipe);
    drained();
}

void Output::detach() {
    channel_.reset();
}

void Output::divert(const std::string& path) {
    channel_.reset();
    if (!file_) file_ = std::make_unique<OutputFile>(path);
    drained();
}

void Output::drained() {
    const auto pipes = pipes_;
    for (const auto& pipe : pipes) wait(pipe);
    if (finished()) on_change_();
}

bool Output::finished() const {
    return pipes_.empty() && (!channel_ || !channel_->open() || channel_->queued_bytes() == 0);
}

}  // namespace ductile::agent
