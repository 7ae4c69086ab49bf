#include "rms/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/fd.hpp"
#include "os/pipe.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"

namespace ductile::rms {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Stream = asio::posix::stream_descriptor;

constexpr auto sweep_interval = milliseconds(5);
constexpr auto sweep_limit = std::chrono::seconds(1);
constexpr auto kill_limit = milliseconds(1000);  // for a killed process to end
constexpr int most_reads = 64;                   // a writer without end must not hold us
constexpr const char* mark_name = "DUCTILE_COMMAND";

struct Ends {
    os::Fd ours, childs;
};

Ends made(os::Fd ours, os::Fd childs) {
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    return {std::move(ours), std::move(childs)};
}

/// A socket can be written to without SIGPIPE.
Ends input_of(const std::string& program) {
    auto pair = os::make_sockets(program);
    return made(std::move(pair.ours), std::move(pair.theirs));
}
Ends output_of(const std::string& program) {
    auto pipe = os::make_pipe(program);
    return made(std::move(pipe.read), std::move(pipe.write));
}

void close(Stream& stream) {
    asio::error_code ignored;
    stream.close(ignored);
}

bool is_readable_within(int fd, milliseconds time) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace

struct ChildProcess::State : std::enable_shared_from_this<State> {
    using Take = std::function<void(std::string_view)>;

    State(asio::io_context& io, Events on)
        : input(io), output(io), error(io), process(io), sweeper(io), events(std::move(on)) {}

    void start(const std::vector<std::string>& arguments, Environment environment);
    void flush();
    bool write_some();
    void read(Stream& stream, const Take& take);
    bool read_some(Stream& stream, const Take& take);
    void read_rest(Stream& stream, const Take& take);
    void wait_for_end();
    void sweep();
    void end();
    void kill();

    [[nodiscard]] bool runs() const { return process.is_open(); }

    Stream input, output, error, process;
    asio::steady_timer sweeper;
    Clock::time_point sweep_until;
    Events events;
    std::string waiting;  ///< input that it has not read
    os::ProcessSelector whose;
    ChildEnd result;
    bool input_ends = false;
    bool abandoned = false;  ///< nobody is told
};

void ChildProcess::State::start(const std::vector<std::string>& arguments,
                                Environment environment) {
    const auto& program = arguments.at(0);
    auto in = input_of(program), out = output_of(program), err = output_of(program);
    const auto path = environment.find("PATH");
    os::Spawn child;
    child.file = os::find_program(arguments.at(0),
                                  path == environment.end() ? "/usr/bin:/bin" : path->second);
    child.argv = arguments;
    environment[mark_name] = os::fresh_mark();
    whose.mark = std::string(mark_name) + "=" + environment[mark_name];
    for (const auto& [name, value] : environment) child.environment.push_back(name + "=" + value);
    child.input = in.childs.get();
    child.output = out.childs.get();
    child.error = err.childs.get();
    const auto started = os::try_spawn(child);
    if (started.pid < 0)
        throw NotStarted("cannot start " + arguments[0] + ": " + std::strerror(started.error),
                         started.error);
    whose.session = started.pid;
    const int watch = static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0));
    if (watch < 0) {
        const int why = errno;
        ::kill(-started.pid, SIGKILL);
        ::waitpid(started.pid, nullptr, 0);
        throw NotStarted("cannot watch " + arguments[0] + ": " + std::strerror(why), why);
    }
    input.assign(in.ours.release());
    output.assign(out.ours.release());
    error.assign(err.ours.release());
    process.assign(watch);
    read(output, events.on_output);
    read(error, events.on_error);
    wait_for_end();
}

// False when it takes no more at the moment.
bool ChildProcess::State::write_some() {
    while (input.is_open() && !waiting.empty()) {
        const auto n = ::send(input.native_handle(), waiting.data(), waiting.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return false;
        if (n < 0) input_ends = true;  // it reads no more
        waiting.erase(0, n < 0 ? waiting.size() : static_cast<std::size_t>(n));
    }
    if (input_ends) close(input);
    return true;
}

void ChildProcess::State::flush() {
    if (write_some()) return;
    input.async_wait(Stream::wait_write,
                     [self = shared_from_this()](const asio::error_code& failed) {
                         if (!failed && self->input.is_open()) self->flush();
                     });
}

void ChildProcess::State::read(Stream& stream, const Take& take) {
    stream.async_wait(Stream::wait_read,
                      [self = shared_from_this(), &stream, &take](const asio::error_code& failed) {
                          if (failed || !stream.is_open()) return;
                          if (self->read_some(stream, take) && stream.is_open())
                              self->read(stream, take);
                      });
}

// False when nothing more can come.
bool ChildProcess::State::read_some(Stream& stream, const Take& take) {
    std::array<char, 16 * 1024> buffer{};
    const auto n = ::read(stream.native_handle(), buffer.data(), buffer.size());
    if (n > 0) {
        if (take && !abandoned) take({buffer.data(), static_cast<std::size_t>(n)});
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    close(stream);
    return false;
}

// What lies in the pipe when nobody writes to it any more.
void ChildProcess::State::read_rest(Stream& stream, const Take& take) {
    for (int i = 0; i < most_reads && stream.is_open(); ++i)
        if (!is_readable_within(stream.native_handle(), milliseconds(0)) ||
            !read_some(stream, take))
            break;
}

void ChildProcess::State::wait_for_end() {
    process.async_wait(Stream::wait_read,
                       [self = shared_from_this()](const asio::error_code& failed) {
                           if (failed || self->abandoned) return;
                           self->sweep_until = Clock::now() + sweep_limit;
                           self->sweep();
                       });
}

// It is reaped last: until then its number, which is its session's, is nobody else's.
void ChildProcess::State::sweep() {
    const auto found = os::find_processes(whose);
    if (found.empty() || Clock::now() >= sweep_until) return end();
    for (const auto& left : described(found))
        if (std::ranges::find(result.left_behind, left) == result.left_behind.end())
            result.left_behind.push_back(left);
    os::kill_processes(found);
    sweeper.expires_after(sweep_interval);
    sweeper.async_wait([self = shared_from_this()](const asio::error_code& failed) {
        if (!failed && !self->abandoned) self->sweep();
    });
}

void ChildProcess::State::end() {
    read_rest(output, events.on_output);
    read_rest(error, events.on_error);
    if (abandoned) return;  // by who took the output
    int status = 0;
    ::waitpid(whose.session, &status, 0);  // it is dead, so this returns at once
    for (auto* stream : {&input, &output, &error, &process}) close(*stream);
    result.signalled = WIFSIGNALED(status);
    result.code = result.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    if (events.on_end) events.on_end(result);
}

void ChildProcess::State::kill() {
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
    state_->abandoned = true;
    if (state_->runs()) state_->kill();
    for (auto* stream : {&state_->input, &state_->output, &state_->error, &state_->process})
        close(*stream);
    state_->sweeper.cancel();
}

void ChildProcess::write(std::string_view text) {
    if (!state_->input.is_open() || state_->input_ends) return;
    const bool idle = state_->waiting.empty();
    state_->waiting += text;
    if (idle) state_->flush();
}

std::size_t ChildProcess::unread() const {
    return state_->waiting.size();
}

void ChildProcess::close_input() {
    state_->input_ends = true;
    if (state_->waiting.empty()) close(state_->input);
}

void ChildProcess::signal(int number) {
    if (state_->runs()) ::kill(-state_->whose.session, number);
}

void ChildProcess::finish(milliseconds time) {
    const auto until = Clock::now() + time;
    const auto left = [&] {
        return std::max(std::chrono::ceil<milliseconds>(until - Clock::now()), milliseconds(0));
    };
    state_->input_ends = true;
    while (state_->runs() && !state_->write_some() && left() > milliseconds(0)) {
        pollfd writable{state_->input.native_handle(), POLLOUT, 0};
        ::poll(&writable, 1, static_cast<int>(left().count()));
    }
    if (state_->runs()) is_readable_within(state_->process.native_handle(), left());
}

}  // namespace ductile::rms
