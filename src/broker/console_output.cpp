#include "broker/console_output.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "os/signals.hpp"
#include "os/terminal.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t high_bytes = 4u << 20;
constexpr std::size_t low_bytes = 1u << 20;

/// Returns errno, or 0 when all is written.
int write_all(int fd, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n >= 0) {
            done += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            pollfd room{fd, POLLOUT, 0};
            ::poll(&room, 1, -1);  // without a limit: this thread is detached
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

struct ConsoleOutput::State : std::enable_shared_from_this<State> {
    explicit State(asio::io_context& with) : io(with) {}

    void write_until_end();
    /// Waits while the terminal would stop this process for writing, but not at the end.
    void wait_for_terminal(int fd, std::unique_lock<std::mutex>& lock);
    void written(int fd, std::size_t bytes, int error);

    asio::io_context& io;
    std::function<void(bool)> on_full;
    std::function<void(int)> on_broken;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::pair<int, std::string>> waiting;
    std::size_t waiting_bytes = 0;
    bool writing = false, full = false, broken = false, ended = false;
    bool drains = false;  ///< only the output is left to do
    bool drops_held = false;
    const bool has_terminal = is_terminal(STDOUT_FILENO);
};

void ConsoleOutput::State::write_until_end() {
    os::mask_signal(SIG_BLOCK, SIGTTOU);
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return ended || !waiting.empty(); });
        if (waiting.empty()) return;
        wait_for_terminal(waiting.front().first, lock);
        const auto [fd, text] = std::move(waiting.front());
        waiting.pop_front();
        writing = true;
        const bool is_dropped = drops_held && os::is_write_held(fd);
        lock.unlock();
        const int error = is_dropped ? 0 : write_all(fd, text);
        lock.lock();
        writing = false;
        written(fd, text.size(), error);
    }
}

void ConsoleOutput::State::wait_for_terminal(int fd, std::unique_lock<std::mutex>& lock) {
    while (!drains && !ended && !drops_held && os::is_write_held(fd))
        changed.wait_for(lock, os::between_looks_at_terminal);
    if (drains && !drops_held) os::mask_signal(SIG_UNBLOCK, SIGTTOU);
}

void ConsoleOutput::State::written(int fd, std::size_t bytes, int error) {
    waiting_bytes -= bytes;
    if (error != 0 && !broken && fd == STDOUT_FILENO) {
        broken = true;
        const bool has_hung_up = has_terminal && error == EIO;
        if (!ended && !has_hung_up)
            asio::post(io, [self = shared_from_this(), error] { self->on_broken(error); });
    }
    if (full && waiting_bytes < low_bytes) {
        full = false;
        if (!ended) asio::post(io, [self = shared_from_this()] { self->on_full(false); });
    }
    changed.notify_all();
}

ConsoleOutput::ConsoleOutput(asio::io_context& io, std::function<void(bool)> on_full,
                             std::function<void(int)> on_broken)
    : state_(std::make_shared<State>(io)) {
    state_->on_full = std::move(on_full);
    state_->on_broken = std::move(on_broken);
    // Detached, and owns what it uses: a write to a stopped terminal may never return.
    std::thread([state = state_] { state->write_until_end(); }).detach();
}

ConsoleOutput::~ConsoleOutput() {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
    state_->changed.notify_all();
}

void ConsoleOutput::write(int stream, std::string text) {
    const std::lock_guard lock(state_->mutex);
    if (state_->broken && stream == STDOUT_FILENO) return;
    state_->waiting_bytes += text.size();
    state_->waiting.emplace_back(stream, std::move(text));
    state_->changed.notify_all();
    if (!state_->full && state_->waiting_bytes > high_bytes) {
        state_->full = true;
        asio::post(state_->io, [state = state_] { state->on_full(true); });
    }
}

// The time in which this process is stopped does not count.
void ConsoleOutput::drain(int seconds) {
    std::unique_lock lock(state_->mutex);
    state_->drains = true;
    state_->changed.notify_all();
    const auto is_done = [this] { return state_->waiting.empty() && !state_->writing; };
    constexpr auto slice = 100ms;
    for (auto left = std::chrono::milliseconds(seconds * 1s); left > 0ms; left -= slice)
        if (state_->changed.wait_for(lock, slice, is_done)) return;
}

void ConsoleOutput::drop_held() {
    const std::lock_guard lock(state_->mutex);
    state_->drops_held = true;
    state_->changed.notify_all();
}

bool ConsoleOutput::is_terminal(int stream) {
    return ::isatty(stream) == 1;
}

bool ConsoleOutput::is_one_place() {
    struct stat out {
    }, err{};
    return ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

}  // namespace ductile::broker
