// shim: the process between a launcher's daemon and one rank (Open MPI). It gives the rank's
// standard streams to the agent, stays the rank's parent and passes signals on. It reports the
// rank's true wait status to the agent. To the daemon it reports success, however the rank ends.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "os/peer.hpp"
#include "os/pipe.hpp"
#include "os/signals.hpp"
#include "os/spawn.hpp"
#include "wire/local_messages.hpp"
#include "wire/local_socket.hpp"

namespace {

namespace os = ductile::os;
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

/// The number in the first of these variables that is set.
int number_from_environment(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const char* text = std::getenv(name)) return number_of(name, text);
    throw ductile::InputError(std::string(*names.begin()) +
                              " is not set: the shim is started by mpiexec, under an agent");
}

/// Signals that the shim passes on to the process group of its rank, and SIGCHLD.
sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : os::program_signals()) sigaddset(&set, number);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT, SIGTSTP, SIGWINCH, SIGCHLD})
        sigaddset(&set, number);
    return set;
}

struct Streams {
    Fd input;
    os::Pipe output, error;
};

os::SpawnResult start_rank(std::vector<std::string> program, const Streams& streams) {
    os::Spawn rank;
    rank.argv = std::move(program);
    rank.environment = os::own_environment();
    rank.input = streams.input.get();
    rank.output = streams.output.write.get();
    rank.error = streams.error.write.get();
    // The rank leads a process group of its own. So a signal to the shim's group reaches the rank
    // only through the shim. In a session of its own the rank would not stop at SIGTSTP.
    rank.own_session = false;
    return os::try_spawn(rank);
}

/// Waits for the rank's end, and passes signals on. If the agent is gone, kills the rank.
int watch(pid_t rank, int signals, int agent) {
    bool agent_there = true;
    for (;;) {
        pollfd ready[2] = {{signals, POLLIN, 0}, {agent_there ? agent : -1, POLLIN, 0}};
        if (::poll(ready, 2, -1) < 0 && errno != EINTR) ::kill(rank, SIGKILL);
        signalfd_siginfo info{};
        if ((ready[0].revents & POLLIN) != 0 &&
            ::read(signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info)) &&
            info.ssi_signo != SIGCHLD)
            ::kill(-rank, static_cast<int>(info.ssi_signo));
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
    // If the daemon is dead already, the shim is a child of the agent now, and nobody waits for it.
    if (os::peer_of(socket.fd()).pid == ::getppid())
        throw SystemError("the launcher that started the shim is gone");
    return socket;
}

int run() {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) throw SystemError("prctl failed");
    ::signal(SIGPIPE, SIG_IGN);
    const auto watched = watched_signals();
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    const Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) throw SystemError("cannot make a signalfd");

    const GroupId group{number_from_environment({"DUCTILE_GROUP"})};
    const Rank rank{number_from_environment({"PMIX_RANK", "OMPI_COMM_WORLD_RANK"})};
    auto agent = find_agent();
    const auto report_to_agent = [&agent](const FromShim& report) { agent.send(to_frame(report)); };

    Streams streams{Fd(), os::make_pipe("a rank's output"), os::make_pipe("a rank's errors")};
    agent.send(to_frame(FromLocal{ShimHello{group, rank, ::getpid()}}),
               {streams.output.read.get(), streams.error.read.get()});
    streams.output.read.reset();
    streams.error.read.reset();
    std::vector<Fd> given;
    const auto welcome = agent.receive(agent_deadline, &given);
    if (!welcome || given.size() != 1) throw SystemError("the agent gave no standard input");
    const auto words = std::get<ShimWelcome>(decode<ToShim>(*welcome)).program;
    streams.input = std::move(given.front());

    const auto started = start_rank(words, streams);
    streams = Streams{};
    ShimEnded ended;
    if (started.pid < 0) {
        ended.code = cannot_execute;
        ended.why = "cannot execute " + words.front() + ": " + std::strerror(started.error);
    } else {
        report_to_agent(ShimStarted{started.pid});
        const int status = watch(started.pid, signals.get(), agent.fd());
        ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        ended.code = WIFSIGNALED(status) ? 128 + ended.signal : WEXITSTATUS(status);
    }
    try {
        report_to_agent(ended);
    } catch (const SystemError&) {  // the agent is gone, so there is nobody to tell
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
