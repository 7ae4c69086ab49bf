#include "broker/console_input.hpp"

#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace ductile::broker {

namespace {

constexpr std::size_t piece_bytes = 65536;

/// Reads the next piece. Empty: the input is at its end.
std::string read_piece() {
    std::string piece(piece_bytes, '\0');
    ssize_t n = 0;
    do n = ::read(STDIN_FILENO, piece.data(), piece.size());
    while (n < 0 && errno == EINTR);
    piece.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return piece;
}

}  // namespace

struct ConsoleInput::State : std::enable_shared_from_this<State> {
    explicit State(asio::io_context& loop) : io(loop) {}

    /// Waits for more(). False: nobody needs more input.
    bool wait_until_wanted();
    /// Passes a piece to the event loop. False: it was the last piece, or nobody needs it.
    bool tell(std::string piece);

    asio::io_context& io;
    std::function<void(std::string)> on_input;
    std::mutex mutex;
    std::condition_variable changed;
    bool is_wanted = false, has_ended = false;
};

bool ConsoleInput::State::wait_until_wanted() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return has_ended || is_wanted; });
    is_wanted = false;
    return !has_ended;
}

bool ConsoleInput::State::tell(std::string piece) {
    const std::lock_guard lock(mutex);
    if (has_ended) return false;
    const bool is_last = piece.empty();
    asio::post(io,
               [self = shared_from_this(), piece = std::move(piece)] { self->on_input(piece); });
    return !is_last;
}

ConsoleInput::ConsoleInput(asio::io_context& io) : state_(std::make_shared<State>(io)) {}

ConsoleInput::~ConsoleInput() {
    const std::lock_guard lock(state_->mutex);
    state_->has_ended = true;
    state_->changed.notify_all();
}

void ConsoleInput::read(std::function<void(std::string)> on_input) {
    state_->on_input = std::move(on_input);
    // The thread is detached and owns what it uses, because a read may never return.
    std::thread([state = state_] {
        while (state->wait_until_wanted() && state->tell(read_piece())) {
        }
    }).detach();
}

void ConsoleInput::more() {
    const std::lock_guard lock(state_->mutex);
    state_->is_wanted = true;
    state_->changed.notify_all();
}

}  // namespace ductile::broker
