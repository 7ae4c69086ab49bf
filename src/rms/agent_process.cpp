#include "rms/agent_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "ductile/error.hpp"
#include "os/descriptors.hpp"
#include "os/pipe.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"
#include "rms/child_streams.hpp"
#include "rms/output_tail.hpp"

extern char** environ;

namespace ductile::rms {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr int most_looks = 20;

std::vector<std::string> environment_with(const std::string& mark) {
    const auto name = mark.substr(0, mark.find('=') + 1);
    std::vector<std::string> entries{mark};
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!std::string_view(*entry).starts_with(name)) entries.emplace_back(*entry);
    return entries;
}

pid_t started(const std::vector<std::string>& argv, const std::string& mark, int input, int error) {
    const char* path = std::getenv("PATH");
    const auto nothing = os::open_nothing(O_WRONLY);
    os::Spawn what;
    what.argv = argv;
    what.file = os::find_program(argv.at(0), path == nullptr ? "/usr/bin:/bin" : path);
    what.environment = environment_with(mark);
    what.input = input;
    what.output = nothing.get();
    what.error = error;
    what.death_signal = 0;
    const auto child = os::try_spawn(what);
    if (child.pid < 0)
        throw SystemError("cannot start " + argv[0] + ": " + std::strerror(child.error));
    return child.pid;
}

}  // namespace

struct AgentProcess::State : std::enable_shared_from_this<State> {
    State(asio::io_context& io, OnExit exit)
        : input(std::make_shared<ChildInput>(io)),
          error(std::make_shared<ChildOutput>(io,
                                              [this](std::string_view piece) { said.add(piece); })),
          process(io),
          killing(io),
          on_exit(std::move(exit)) {}

    void start(const std::vector<std::string>& argv);
    void wait();
    void reaped(int status);
    [[nodiscard]] std::vector<pid_t> family() const;
    void kill_family(int looks);

    std::shared_ptr<ChildInput> input;
    std::shared_ptr<ChildOutput> error;
    asio::posix::stream_descriptor process;  ///< readable when the process has ended
    asio::steady_timer killing;
    OutputTail said;
    OnExit on_exit;
    /// A mark in the environment of the child. All processes that the child starts inherit it, in
    /// any session, and are found by it.
    std::string mark = "DUCTILE_STARTED_BY=" + os::fresh_mark();
    pid_t pid = -1;
    bool ended = false;
    bool killed = false;
};

void AgentProcess::State::start(const std::vector<std::string>& argv) {
    auto in = os::make_sockets(argv[0]);  // a write to it never raises SIGPIPE
    auto err = os::make_pipe(argv[0]);
    pid = started(argv, mark, in.theirs.get(), err.write.get());
    auto watch = os::watch_process(pid);
    if (!watch) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        throw SystemError("cannot watch " + argv[0] +
                          ": this kernel has no pidfd_open (Linux 5.3)");
    }
    process.assign(watch.release());
    input->open(std::move(in.ours));
    error->open(std::move(err.read));
    wait();
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

std::vector<pid_t> AgentProcess::State::family() const {
    os::ProcessSelector whose;
    whose.mark = mark;
    whose.session = pid;
    return os::find_processes(whose);
}

void AgentProcess::State::kill_family(int looks) {
    const auto left = family();
    if (left.empty() || looks == 0) return;
    os::kill_processes(left);
    killing.expires_after(between_looks);
    killing.async_wait([self = shared_from_this(), looks](const asio::error_code& failed) {
        if (!failed) self->kill_family(looks - 1);
    });
}

void AgentProcess::State::reaped(int status) {
    ended = true;
    error->read_rest();
    error->close();
    input->close();
    asio::error_code ignored;
    process.close(ignored);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (const auto tell = std::exchange(on_exit, nullptr)) tell(code, said.text());
}

AgentProcess::AgentProcess(asio::io_context& io, const std::vector<std::string>& argv,
                           const std::string& input, OnExit on_exit)
    : state_(std::make_shared<State>(io, std::move(on_exit))) {
    if (argv.empty()) throw InputError("cannot start a program: its argument list is empty");
    state_->start(argv);
    state_->input->write(input);
    state_->input->end();
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
    if (state_->process.is_open()) os::signal_process(state_->process.native_handle(), number);
}

bool AgentProcess::ends_within(std::chrono::milliseconds time) const {
    return state_->ended || is_readable_within(state_->process.native_handle(), time);
}

void AgentProcess::kill() {
    if (state_->ended || std::exchange(state_->killed, true)) return;
    ::kill(state_->pid, SIGKILL);  // not reaped yet, so no other process has its pid
    state_->kill_family(most_looks);
}

void AgentProcess::kill_and_wait() {
    if (state_->ended) return;
    ::kill(state_->pid, SIGKILL);
    os::kill_until_none([this] { return state_->family(); });
}

}  // namespace ductile::rms
