#include "rms/child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/descriptors.hpp"
#include "os/fd.hpp"
#include "os/pipe.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"
#include "rms/child_streams.hpp"
#include "rms/command.hpp"

namespace ductile::rms {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto sweep_interval = milliseconds(5);
constexpr auto sweep_limit = std::chrono::seconds(1);

}  // namespace

struct ChildProcess::State : std::enable_shared_from_this<State> {
    State(asio::io_context& io, Events on)
        : input(std::make_shared<ChildInput>(io)),
          output(std::make_shared<ChildOutput>(io, std::move(on.on_output))),
          error(std::make_shared<ChildOutput>(io, std::move(on.on_error))),
          on_end(std::move(on.on_end)),
          process(io),
          sweeper(io) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        if (runs()) kill_and_wait();  // because no event loop runs any more
    }

    void start(const std::vector<std::string>& arguments, Environment environment);
    void wait_for_end();
    void sweep();
    void end();
    void abandon();
    void kill_and_wait();
    void close_streams();
    void close();

    [[nodiscard]] bool runs() const { return process.is_open(); }

    std::shared_ptr<ChildInput> input;
    std::shared_ptr<ChildOutput> output, error;
    std::function<void(const ChildEnd&)> on_end;
    asio::posix::stream_descriptor process;  ///< readable when the process has ended
    asio::steady_timer sweeper;
    Clock::time_point sweep_until;
    os::ProcessSelector whose;
    ChildEnd result;
    bool abandoned = false;  ///< no callback is called any more
};

void ChildProcess::State::start(const std::vector<std::string>& arguments,
                                Environment environment) {
    const auto& program = arguments.at(0);
    auto in = os::make_sockets(program);  // a write to it never raises SIGPIPE
    auto out = os::make_pipe(program), err = os::make_pipe(program);
    const auto path = environment.find("PATH");
    os::Spawn child;
    child.file = os::find_program(arguments.at(0),
                                  path == environment.end() ? "/usr/bin:/bin" : path->second);
    child.argv = arguments;
    environment[command_mark] = os::fresh_mark();
    whose.mark = std::string(command_mark) + "=" + environment[command_mark];
    for (const auto& [name, value] : environment) child.environment.push_back(name + "=" + value);
    child.input = in.theirs.get();
    child.output = out.write.get();
    child.error = err.write.get();
    const auto started = os::try_spawn(child);
    if (started.pid < 0)
        throw NotStarted("cannot start " + arguments[0] + ": " + std::strerror(started.error),
                         started.error);
    whose.session = started.pid;
    auto watch = os::watch_process(started.pid);
    if (!watch) {
        const int why = errno;
        ::kill(-started.pid, SIGKILL);
        ::waitpid(started.pid, nullptr, 0);
        throw NotStarted("cannot watch " + arguments[0] + ": " + std::strerror(why), why);
    }
    process.assign(watch.release());
    input->open(std::move(in.ours));
    output->open(std::move(out.read));
    error->open(std::move(err.read));
    wait_for_end();
}

void ChildProcess::State::wait_for_end() {
    process.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const asio::error_code& failed) {
                           if (failed) return;
                           self->sweep_until = Clock::now() + sweep_limit;
                           self->sweep();
                       });
}

// The child is reaped last. Until then no other process gets its pid, which is also the id of its
// session.
void ChildProcess::State::sweep() {
    const auto found = os::find_processes(whose);
    if (found.empty() || Clock::now() >= sweep_until) return end();
    for (const auto& left : described(found))
        if (std::ranges::find(result.left_behind, left) == result.left_behind.end())
            result.left_behind.push_back(left);
    os::kill_processes(found);
    sweeper.expires_after(sweep_interval);
    sweeper.async_wait([self = shared_from_this()](const asio::error_code& failed) {
        if (!failed) self->sweep();
    });
}

void ChildProcess::State::end() {
    output->read_rest();
    error->read_rest();
    int status = 0;
    ::waitpid(whose.session, &status, 0);  // the process is dead, so this returns at once
    close();
    result.signalled = WIFSIGNALED(status);
    result.code = result.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    if (on_end && !abandoned) on_end(result);
}

// The event loop continues as if the child had ended by itself, and keeps this State alive for
// that.
void ChildProcess::State::abandon() {
    abandoned = true;
    close_streams();
    if (runs()) ::kill(-whose.session, SIGKILL);
}

void ChildProcess::State::close_streams() {
    input->close();
    output->close();
    error->close();
}

void ChildProcess::State::close() {
    close_streams();
    asio::error_code ignored;
    process.close(ignored);
}

void ChildProcess::State::kill_and_wait() {
    ::kill(-whose.session, SIGKILL);
    os::kill_until_none([this] { return os::find_processes(whose); });
    if (is_readable_within(process.native_handle(), kill_limit))
        ::waitpid(whose.session, nullptr, WNOHANG);
}

ChildProcess::ChildProcess(asio::io_context& io, const std::vector<std::string>& arguments,
                           const Environment& environment, Events events)
    : state_(std::make_shared<State>(io, std::move(events))) {
    if (arguments.empty()) throw InputError("cannot start a program: its argument list is empty");
    state_->start(arguments, environment);
}

ChildProcess::~ChildProcess() {
    state_->abandon();
}

void ChildProcess::write(std::string_view text) {
    state_->input->write(text);
}

std::size_t ChildProcess::unread() const {
    return state_->input->unread();
}

void ChildProcess::close_input() {
    state_->input->end();
}

void ChildProcess::signal(int number) {
    if (state_->runs()) ::kill(-state_->whose.session, number);
}

void ChildProcess::finish(milliseconds time) {
    const auto until = Clock::now() + time;
    state_->input->end_by(until);
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (state_->runs())
        is_readable_within(state_->process.native_handle(), std::max(left, milliseconds(0)));
}

}  // namespace ductile::rms
