#include "rms/command_runner.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "rms/child_process.hpp"

namespace ductile::rms {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

}  // namespace

struct CommandRunner::State : std::enable_shared_from_this<State> {
    State(asio::io_context& io, Command what, OnEnd end)
        : command(std::move(what)), on_end(std::move(end)), timer(io) {}

    void start(asio::io_context& io);
    ChildProcess::Events events();
    void keep(std::string& into, std::string_view piece);
    void after(milliseconds time, void (State::*next)());
    void deadline_passed() { cut_short(Ended::deadline_passed); }
    void cut_short(Ended why);
    void kill();
    void give_up() { finish(*cut, SIGKILL); }
    void finish(Ended ended, int code);

    Command command;
    OnEnd on_end;
    asio::steady_timer timer;
    CommandResult result;
    Clock::time_point began = Clock::now();
    std::optional<Ended> cut;  ///< why the command is ended early; none: it is not
    std::unique_ptr<ChildProcess> child;
};

void CommandRunner::State::start(asio::io_context& io) {
    try {
        child =
            std::make_unique<ChildProcess>(io, command.arguments, command.environment, events());
    } catch (const NotStarted& error) {
        return asio::post(io, [weak = weak_from_this(), code = error.code] {
            if (const auto self = weak.lock()) self->finish(Ended::not_started, code);
        });
    } catch (const SystemError& error) {  // for example, no more descriptors
        result.err = error.what();
        return asio::post(io, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->finish(Ended::not_started, 0);
        });
    }
    child->write(command.input);
    child->close_input();
    after(command.deadline, &State::deadline_passed);
}

ChildProcess::Events CommandRunner::State::events() {
    const auto weak = weak_from_this();
    ChildProcess::Events events;
    events.on_output = [weak](std::string_view piece) {
        if (const auto self = weak.lock()) self->keep(self->result.out, piece);
    };
    events.on_error = [weak](std::string_view piece) {
        if (const auto self = weak.lock()) self->keep(self->result.err, piece);
    };
    events.on_end = [weak](const ChildEnd& end) {
        const auto self = weak.lock();
        if (!self) return;
        if (!self->cut) self->result.left_behind = end.left_behind;
        const auto ended = end.signalled ? Ended::signalled : Ended::exited;
        self->finish(self->cut.value_or(ended), end.code);
    };
    return events;
}

void CommandRunner::State::keep(std::string& into, std::string_view piece) {
    const auto room = command.max_output_bytes - std::min(command.max_output_bytes, into.size());
    into += piece.substr(0, room);
    if (piece.size() > room) result.output_dropped = true;
}

void CommandRunner::State::after(milliseconds time, void (State::*next)()) {
    timer.expires_after(time);
    timer.async_wait([weak = weak_from_this(), next](const asio::error_code& failed) {
        const auto self = weak.lock();
        if (!failed && self && self->on_end) (self.get()->*next)();
    });
}

void CommandRunner::State::cut_short(Ended why) {
    if (cut || !on_end || !child) return;
    cut = why;
    child->signal(SIGTERM);
    after(command.grace, &State::kill);
}

void CommandRunner::State::kill() {
    child->signal(SIGKILL);
    after(kill_limit, &State::give_up);
}

void CommandRunner::State::finish(Ended ended, int code) {
    timer.cancel();
    result.ended = ended;
    result.code = code;
    result.took = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    if (const auto tell = std::exchange(on_end, nullptr)) tell(result);
}

CommandRunner::CommandRunner(asio::io_context& io, Command command, OnEnd on_end)
    : state_(std::make_shared<State>(io, std::move(command), std::move(on_end))) {
    state_->start(io);
}

CommandRunner::~CommandRunner() {
    state_->on_end = nullptr;
    state_->timer.cancel();
    state_->child.reset();
}

void CommandRunner::cancel() {
    state_->cut_short(Ended::cancelled);
}

std::string how_it_ended(const CommandRunner::Command& command, const CommandResult& result) {
    rms::Command same;
    same.deadline = command.deadline;
    return how_it_ended(same, result);
}

}  // namespace ductile::rms
