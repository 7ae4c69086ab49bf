#include "broker/console_input.hpp"

#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "os/signals.hpp"
#include "os/terminal.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t piece_bytes = 65536;

/// Reads the next piece. Empty: the input is at its end. None: not now, because the terminal is in
/// the foreground of others.
std::optional<std::string> read_piece() {
    if (os::is_in_background(STDIN_FILENO)) return std::nullopt;
    std::string piece(piece_bytes, '\0');
    ssize_t n = 0;
    do n = ::read(STDIN_FILENO, piece.data(), piece.size());
    while (n < 0 && errno == EINTR);
    // This process went to the background after the look above, and may be back already.
    if (n < 0 && errno == EIO && os::may_read_again(STDIN_FILENO)) return std::nullopt;
    piece.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return piece;
}

}  // namespace

struct ConsoleInput::State : std::enable_shared_from_this<State> {
    explicit State(asio::io_context& loop) : io(loop) {}

    void read_all();
    /// Waits for more(). False: nobody needs more input.
    bool wait_until_wanted();
    /// False: nobody needs more input.
    bool wait_a_moment();
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

bool ConsoleInput::State::wait_a_moment() {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, os::between_looks_at_terminal, [this] { return has_ended; });
}

void ConsoleInput::State::read_all() {
    os::mask_signal(SIG_BLOCK, SIGTTIN);
    while (wait_until_wanted()) {
        auto piece = read_piece();
        while (!piece) {
            if (!wait_a_moment()) return;
            piece = read_piece();
        }
        if (!tell(std::move(*piece))) return;
    }
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
    std::thread([state = state_] { state->read_all(); }).detach();
}

void ConsoleInput::more() {
    const std::lock_guard lock(state_->mutex);
    state_->is_wanted = true;
    state_->changed.notify_all();
}

}  // namespace ductile::broker
