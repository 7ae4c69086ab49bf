#include "cluster/remote_shell.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <filesystem>

#include "cluster/client.hpp"
#include "cluster/session.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

mode_t current_umask() {
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

SessionRequest request_of_this_process(const std::vector<std::string>& command) {
    SessionRequest request;
    request.umask = current_umask();
    std::error_code gone;
    const auto directory = std::filesystem::current_path(gone);
    request.directory = gone ? std::string("/") : directory.string();
    request.command = command;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        request.environment.emplace_back(*variable);
    return request;
}

/// The signals that are forwarded. Signals that this process ignores stay ignored.
sigset_t signals_for_the_command() {
    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH}) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        if (action.sa_handler != SIG_IGN) sigaddset(&caught, signal);
    }
    return caught;
}

Descriptor catch_signals() {
    hold_signals();
    const sigset_t caught = signals_for_the_command();
    return Descriptor{check(::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK), "catch signals")};
}

void pass_on(int signals, int connection) {
    signalfd_siginfo caught;
    while (::read(signals, &caught, sizeof caught) == sizeof caught) {
        const auto number = static_cast<unsigned char>(caught.ssi_signo);
        if (::send(connection, &number, 1, MSG_NOSIGNAL) < 0)
            return;  // the session has just ended; its reply is read next
    }
}

/// Waits until the session begins. Returns a signal that arrives before that. 0: the cluster sent
/// something, or the deadline has passed.
int wait_for_session(int signals, int connection, const Deadline& deadline) {
    std::array<pollfd, 2> watched{{{signals, POLLIN, 0}, {connection, POLLIN, 0}}};
    while (true) {
        if (::poll(watched.data(), watched.size(), deadline.left_ms()) < 0) continue;
        // If the cluster has answered, a pending signal is not read here. It is forwarded later.
        if (watched[1].revents != 0 || watched[0].revents == 0) return 0;
        signalfd_siginfo caught;
        if (::read(signals, &caught, sizeof caught) != sizeof caught) return 0;
        if (caught.ssi_signo != SIGWINCH) return static_cast<int>(caught.ssi_signo);
    }
}

Answer expect_answer(std::optional<Answer> answer, const std::string& host) {
    if (!answer)
        throw SystemError(
            fmt::format("lost the connection to {} (the host or the cluster has ended)", host));
    if (answer->kind == Reply::error) throw SystemError(answer->text);
    return *std::move(answer);
}

int code_of(const std::string& text) {
    int code = no_connection;
    std::from_chars(text.data(), text.data() + text.size(), code);
    return code;
}

}  // namespace

void hold_signals() {
    const sigset_t held = signals_for_the_command();
    ::sigprocmask(SIG_BLOCK, &held, nullptr);
}

int run_remote(const std::string& state_dir, const RemoteCommand& command) {
    const Descriptor connection = connect_to(state_dir);
    Words request{"exec", command.host, command.reach == Reach::console ? "console" : "network"};
    const Words rest = to_words(request_of_this_process(command.words));
    request.insert(request.end(), rest.begin(), rest.end());

    const Descriptor nothing{check(::open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null")};
    std::array<int, 3> files{0, 1, 2};
    for (int& file : files)
        if (::fcntl(file, F_GETFD) < 0) file = nothing.get();
    const Descriptor signals = catch_signals();
    send_frame(connection.get(), join(request), files);

    FrameReader reader;
    const Deadline deadline{command.connect_within};
    if (const int signal = wait_for_session(signals.get(), connection.get(), deadline); signal != 0)
        return 128 + signal;
    if (!wait_readable(connection.get(), deadline.left_ms()))
        throw TimeoutError(
            fmt::format("cannot reach {} (no answer in {} ms: it is frozen or cut off)",
                        command.host, command.connect_within.count()));
    Answer answer = expect_answer(next_answer(connection.get(), reader, -1), command.host);
    while (answer.kind != Reply::exited) {
        std::array<pollfd, 2> watched{{{signals.get(), POLLIN, 0}, {connection.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0) continue;
        if (watched[0].revents != 0) pass_on(signals.get(), connection.get());
        if (watched[1].revents == 0) continue;
        answer = expect_answer(next_answer(connection.get(), reader, -1), command.host);
    }
    return code_of(answer.text);
}

}  // namespace ductile::cluster
