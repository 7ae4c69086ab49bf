#include "broker/console_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ductile::broker {

struct ConsoleOutput::State {
    explicit State(asio::io_context& with) : io(with) {}

    asio::io_context& io;
    std::function<void(bool)> on_full;
    std::function<void(int)> on_broken;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::pair<int, std::string>> waiting;
    std::size_t waiting_bytes = 0;
    bool writing = false, full = false, broken = false, ended = false;
};

namespace {

constexpr std::size_t high_bytes = 4u << 20;
constexpr std::size_t low_bytes = 1u << 20;

bool write_all(int fd, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n >= 0) {
            done += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            pollfd room{fd, POLLOUT, 0};
            ::poll(&room, 1, -1);  // without a limit: this thread is detached
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace

ConsoleOutput::ConsoleOutput(asio::io_context& io, std::function<void(bool)> on_full,
                             std::function<void(int)> on_broken)
    : state_(std::make_shared<State>(io)) {
    state_->on_full = std::move(on_full);
    state_->on_broken = std::move(on_broken);
    // Detached, and owns what it uses: a write to a stopped terminal may never return.
    std::thread([state = state_] {
        std::unique_lock lock(state->mutex);
        for (;;) {
            state->changed.wait(lock, [&] { return state->ended || !state->waiting.empty(); });
            if (state->waiting.empty()) return;
            const auto [fd, text] = std::move(state->waiting.front());
            state->waiting.pop_front();
            state->writing = true;
            lock.unlock();
            const bool ok = write_all(fd, text);
            const int error = errno;
            lock.lock();
            state->writing = false;
            state->waiting_bytes -= text.size();
            if (!ok && !state->broken && fd == STDOUT_FILENO) {
                state->broken = true;
                if (!state->ended)
                    asio::post(state->io, [state, error] { state->on_broken(error); });
            }
            if (state->full && state->waiting_bytes < low_bytes) {
                state->full = false;
                if (!state->ended) asio::post(state->io, [state] { state->on_full(false); });
            }
            state->changed.notify_all();
        }
    }).detach();
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

void ConsoleOutput::drain(int seconds) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait_for(lock, std::chrono::seconds(seconds),
                             [this] { return state_->waiting.empty() && !state_->writing; });
}

}  // namespace ductile::broker
