#include "rms/agent_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "ductile/error.hpp"
#include "os/fd.hpp"
#include "os/pipe.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"

extern char** environ;

namespace ductile::rms {

namespace {

constexpr std::size_t max_tail_bytes = 4096;

std::vector<std::string> environment_with(const std::string& mark) {
    const auto name = mark.substr(0, mark.find('=') + 1);
    std::vector<std::string> entries{mark};
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!std::string_view(*entry).starts_with(name)) entries.emplace_back(*entry);
    return entries;
}

pid_t start(const std::vector<std::string>& argv, const std::string& mark, int input, int error) {
    const char* path = std::getenv("PATH");
    const os::Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    os::Spawn what;
    what.argv = argv;
    what.file = os::find_program(argv.at(0), path == nullptr ? "/usr/bin:/bin" : path);
    what.environment = environment_with(mark);
    what.input = input;
    what.output = nothing.get();
    what.error = error;
    what.death_signal = 0;
    const auto started = os::try_spawn(what);
    if (started.pid < 0)
        throw SystemError("cannot start " + argv[0] + ": " + std::strerror(started.error));
    return started.pid;
}

}  // namespace

struct AgentProcess::State : std::enable_shared_from_this<State> {
    State(asio::io_context& io, std::string text, OnExit exit)
        : input(io), error(io), process(io), waiting(std::move(text)), on_exit(std::move(exit)) {}

    void write();
    void read();
    void wait();
    void reaped(int status);

    asio::posix::stream_descriptor input, error, process;
    std::string waiting, tail;
    OnExit on_exit;
    /// By which all that it starts is found, in whatever session.
    std::string mark = "DUCTILE_STARTED_BY=" + os::fresh_mark();
    pid_t pid = -1;
    bool ended = false;
};

void AgentProcess::State::write() {
    while (!waiting.empty()) {
        const ssize_t n =
            ::send(input.native_handle(), waiting.data(), waiting.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN)
            return input.async_wait(asio::posix::stream_descriptor::wait_write,
                                    [self = shared_from_this()](const asio::error_code& failed) {
                                        if (!failed) self->write();
                                    });
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;  // it reads no more; how it ended says why
        waiting.erase(0, static_cast<std::size_t>(n));
    }
    asio::error_code ignored;
    input.close(ignored);
}

void AgentProcess::State::read() {
    error.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const asio::error_code& failed) {
                         if (failed || !self->error.is_open()) return;
                         char buffer[4096];
                         const auto n = ::read(self->error.native_handle(), buffer, sizeof(buffer));
                         if (n > 0) self->tail.append(buffer, static_cast<std::size_t>(n));
                         if (self->tail.size() > max_tail_bytes)
                             self->tail.erase(0, self->tail.size() - max_tail_bytes);
                         if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
                             return self->read();
                         asio::error_code ignored;
                         self->error.close(ignored);
                     });
}

void AgentProcess::State::wait() {
    process.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const asio::error_code&) {
                           int status = 0;
                           const pid_t found = ::waitpid(self->pid, &status, WNOHANG);
                           if (found == self->pid) return self->reaped(status);
                           if (found == 0 && self->process.is_open()) self->wait();
                       });
}

void AgentProcess::State::reaped(int status) {
    ended = true;
    char buffer[4096];
    ssize_t n = 0;
    while (error.is_open() && (n = ::read(error.native_handle(), buffer, sizeof(buffer))) > 0)
        tail.append(buffer, static_cast<std::size_t>(n));
    if (tail.size() > max_tail_bytes) tail.erase(0, tail.size() - max_tail_bytes);
    asio::error_code ignored;
    error.close(ignored);
    input.close(ignored);
    process.close(ignored);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (const auto tell = std::exchange(on_exit, nullptr)) tell(code, tail);
}

AgentProcess::AgentProcess(asio::io_context& io, const std::vector<std::string>& argv,
                           std::string input, OnExit on_exit)
    : state_(std::make_shared<State>(io, std::move(input), std::move(on_exit))) {
    if (argv.empty()) throw InputError("cannot start a program: its argument list is empty");
    // A socket can be written to without SIGPIPE.
    auto in = os::make_sockets(argv[0]);
    auto err = os::make_pipe(argv[0]);
    const pid_t pid = start(argv, state_->mark, in.theirs.get(), err.write.get());
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        throw SystemError("cannot watch " + argv[0] +
                          ": this kernel has no pidfd_open (Linux 5.3)");
    }
    state_->pid = pid;
    ::fcntl(in.ours.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(err.read.get(), F_SETFL, O_NONBLOCK);
    state_->input.assign(in.ours.release());
    state_->error.assign(err.read.release());
    state_->process.assign(process);
    state_->write();
    state_->read();
    state_->wait();
}

AgentProcess::~AgentProcess() {
    state_->on_exit = nullptr;
}

int AgentProcess::pid() const {
    return state_->pid;
}

bool AgentProcess::ended() const {
    return state_->ended;
}

void AgentProcess::signal(int number) {
    if (state_->process.is_open())
        ::syscall(SYS_pidfd_send_signal, state_->process.native_handle(), number, nullptr, 0);
}

bool AgentProcess::ends_within(std::chrono::milliseconds time) const {
    if (state_->ended) return true;
    pollfd process{state_->process.native_handle(), POLLIN, 0};
    return ::poll(&process, 1, static_cast<int>(time.count())) > 0;
}

void AgentProcess::kill() {
    if (state_->ended) return;
    ::kill(state_->pid, SIGKILL);  // not yet reaped, so the number is still its own
    os::ProcessSelector whose;
    whose.mark = state_->mark;
    whose.session = state_->pid;
    os::kill_until_none([&whose] { return os::find_processes(whose); });
}

}  // namespace ductile::rms
