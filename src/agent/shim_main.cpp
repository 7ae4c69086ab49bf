// shim: stands between a launcher's daemon and one rank (Open MPI). It gives the agent the
// rank's standard streams, stays the rank's parent and passes signals on. It reports the rank's
// true wait status to the agent. The daemon hears that all is well.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "os/peer.hpp"
#include "os/pipe.hpp"
#include "wire/local_messages.hpp"
#include "wire/local_socket.hpp"

namespace {

using namespace ductile::wire;
using ductile::SystemError;

constexpr auto agent_deadline = std::chrono::seconds(10);
constexpr int cannot_execute = 127;

int number_of(const char* name, const char* text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    if (error != std::errc{} || *end != '\0' || value < 0)
        throw ductile::InputError(std::string(name) + " is '" + text + "', not a number");
    return value;
}

/// The first of the variables that is set.
int number_from_environment(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const char* text = std::getenv(name)) return number_of(name, text);
    throw ductile::InputError(std::string(*names.begin()) +
                              " is not set: the shim is started by mpiexec, under an agent");
}

/// Signals that the shim passes on to its rank, and SIGCHLD.
sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP,
                             SIGALRM, SIGWINCH, SIGXCPU, SIGCHLD})
        sigaddset(&set, number);
    return set;
}

struct Streams {
    Fd input;
    ductile::os::Pipe output, error;
};

[[noreturn]] void become_rank(char** argv, const Streams& streams, pid_t shim, const sigset_t& mask,
                              int report) {
    const auto give_up = [report] {
        const int code = errno;
        [[maybe_unused]] const auto n = ::write(report, &code, sizeof(code));
        ::_exit(cannot_execute);
    };
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
    if (::getppid() != shim) ::_exit(cannot_execute);  // it died before the line above
    ::setpgid(0, 0);  // a signal to the shim's process group reaches the rank once, through it
    ::signal(SIGPIPE, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (::dup2(streams.input.get(), 0) < 0 || ::dup2(streams.output.write.get(), 1) < 0 ||
        ::dup2(streams.error.write.get(), 2) < 0)
        give_up();
    ::execvp(argv[0], argv);
    give_up();
    ::_exit(cannot_execute);
}

/// Forks the rank; errno of a failed exec in `exec_error`.
pid_t start_rank(char** argv, const Streams& streams, const sigset_t& mask, int& exec_error) {
    auto report = ductile::os::make_pipe("a rank's start");
    const pid_t shim = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw SystemError(std::string("cannot fork: ") + std::strerror(errno));
    if (pid == 0) become_rank(argv, streams, shim, mask, report.write.get());
    report.write.reset();
    ssize_t n = 0;
    do n = ::read(report.read.get(), &exec_error, sizeof(exec_error));
    while (n < 0 && errno == EINTR);
    if (n != sizeof(exec_error)) exec_error = 0;
    return pid;
}

/// Waits for the rank's end, passing signals on; an agent that is gone ends the rank.
int watch(pid_t rank, int signals, int agent) {
    bool agent_there = true;
    for (;;) {
        pollfd ready[2] = {{signals, POLLIN, 0}, {agent_there ? agent : -1, POLLIN, 0}};
        if (::poll(ready, 2, -1) < 0 && errno != EINTR) ::kill(rank, SIGKILL);
        signalfd_siginfo info{};
        if ((ready[0].revents & POLLIN) != 0 &&
            ::read(signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info)) &&
            info.ssi_signo != SIGCHLD)
            ::kill(rank, static_cast<int>(info.ssi_signo));
        if (ready[1].revents != 0) {
            char byte = 0;
            const auto n = ::recv(agent, &byte, 1, MSG_DONTWAIT);
            if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
                agent_there = false;
                ::kill(rank, SIGKILL);
            }
        }
        int status = 0;
        if (::waitpid(rank, &status, WNOHANG) == rank) return status;
    }
}

LocalSocket find_agent() {
    const char* path = std::getenv("DUCTILE_SOCKET");
    if (path == nullptr) throw ductile::InputError("DUCTILE_SOCKET is not set");
    auto socket = LocalSocket::connect(path, agent_deadline);
    // A shim whose daemon is dead already is the agent's child by now. Nobody waits for it.
    if (ductile::os::peer_of(socket.fd()).pid == ::getppid())
        throw SystemError("the launcher that started this is gone");
    return socket;
}

int run() {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) throw SystemError("prctl failed");
    ::signal(SIGPIPE, SIG_IGN);
    const auto watched = watched_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    const Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) throw SystemError("cannot make a signalfd");

    const GroupId group{number_from_environment({"DUCTILE_GROUP"})};
    const Rank rank{number_from_environment({"PMIX_RANK", "OMPI_COMM_WORLD_RANK"})};
    auto agent = find_agent();
    const auto say = [&agent](const FromShim& report) { agent.send(to_frame(report)); };

    Streams streams{Fd(), ductile::os::make_pipe("a rank's output"),
                    ductile::os::make_pipe("a rank's errors")};
    agent.send(to_frame(FromLocal{ShimHello{group, rank, ::getpid()}}),
               {streams.output.read.get(), streams.error.read.get()});
    streams.output.read.reset();
    streams.error.read.reset();
    std::vector<Fd> given;
    const auto welcome = agent.receive(agent_deadline, &given);
    if (!welcome || given.size() != 1) throw SystemError("the agent gave no standard input");
    const auto words = std::get<ShimWelcome>(decode<ToShim>(*welcome)).program;
    streams.input = std::move(given.front());

    std::vector<char*> program;
    for (const auto& word : words) program.push_back(const_cast<char*>(word.c_str()));
    program.push_back(nullptr);
    if (words.empty()) throw ductile::InputError("there is no program to start");

    int exec_error = 0;
    const pid_t pid = start_rank(program.data(), streams, before, exec_error);
    streams = Streams{};
    std::string why;
    if (exec_error != 0)
        why = std::string("cannot execute ") + words.front() + ": " + std::strerror(exec_error);
    else
        say(ShimStarted{pid});

    const int status = watch(pid, signals.get(), agent.fd());
    ShimEnded ended;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended.code = WIFSIGNALED(status) ? 128 + ended.signal : WEXITSTATUS(status);
    ended.why = why;
    try {
        say(ended);
    } catch (const SystemError&) {  // the agent is gone: nobody to tell
    }
    return 0;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile: cannot start a rank: %s\n", error.what());
        return 125;
    }
}
