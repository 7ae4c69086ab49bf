#include "cluster/session.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "cluster/namespaces.hpp"
#include "cluster/process_title.hpp"
#include "cluster/processes.hpp"
#include "ductile/error.hpp"

namespace ductile::cluster {
namespace {

[[noreturn]] void fail_in_child(int status, const std::string& what) {
    const std::string line =
        fmt::format("ductile cluster exec: cannot {} ({})\n", what, std::strerror(errno));
    ::_exit(::write(STDERR_FILENO, line.data(), line.size()) < 0 ? 126 : status);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (auto& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

/// Called in the child: executes the command in this process. The command is in the process group
/// of the session, but does not lead the group, so that setsid() works in the command.
[[noreturn]] void become(SessionRequest& request, const std::vector<Descriptor>& files,
                         pid_t session) {
    for (std::size_t i = 0; i < files.size(); ++i)
        if (::dup2(files[i].get(), static_cast<int>(i)) < 0) ::_exit(126);
    forget_inherited({});
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != session) ::_exit(126);  // the session was killed before the prctl call
    ::umask(request.umask);
    if (::chdir(request.directory.c_str()) != 0)
        fail_in_child(126, "go to the directory " + request.directory);
    const auto arguments = pointers(request.command);
    const auto variables = pointers(request.environment);
    environ = const_cast<char**>(variables.data());
    ::execvp(arguments[0], arguments.data());
    fail_in_child(errno == ENOENT ? 127 : 126, "run " + request.command[0]);
}

int exit_code(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The caller is gone, so all processes of this process group are killed. Exception: a command that
/// has made its own session (setsid) is meant to outlive its caller, so nothing is killed.
void end_session(pid_t command) {
    if (::getsid(command) == ::getsid(0)) ::kill(0, SIGKILL);  // including this process
}

/// False: the caller is gone.
bool pass_signals_on(int caller) {
    std::array<unsigned char, 64> signals;
    const ssize_t got = ::recv(caller, signals.data(), signals.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    for (ssize_t i = 0; i < got; ++i) ::kill(0, signals[static_cast<std::size_t>(i)]);
    return got > 0;
}

}  // namespace

Words to_words(const SessionRequest& request) {
    Words words{fmt::format("{}", request.umask), request.directory,
                fmt::format("{}", request.command.size())};
    words.insert(words.end(), request.command.begin(), request.command.end());
    words.insert(words.end(), request.environment.begin(), request.environment.end());
    return words;
}

SessionRequest to_session_request(std::span<const std::string> words) {
    const auto number = [](const std::string& word, std::size_t limit) {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || value > limit)
            throw InputError("a request to run a command is malformed");
        return value;
    };
    if (words.size() < 4) throw InputError("a request to run a command is too short");
    const std::size_t count = number(words[2], words.size() - 3);
    if (count == 0 || words[3].empty()) throw InputError("there is no command to run");
    SessionRequest request;
    request.umask = static_cast<mode_t>(number(words[0], 0777));
    request.directory = words[1];
    const auto command = words.begin() + 3;
    request.command.assign(command, command + static_cast<std::ptrdiff_t>(count));
    request.environment.assign(command + static_cast<std::ptrdiff_t>(count), words.end());
    return request;
}

int run_session(const std::string& host, Descriptor caller, std::vector<Descriptor> files,
                SessionRequest request) {
    ::setsid();
    set_process_title(fmt::format("ductile cluster: {} {}", host, session_name));
    // All signals are blocked in this process, because signals for the command are sent to the
    // whole process group, which includes this process.
    sigset_t all, ended;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    const Descriptor children{
        check(::signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK), "watch the command")};

    // Sent before the command can do anything, so the caller sees all effects of the command after
    // this reply.
    send_reply(caller.get(), Reply::started);
    const pid_t session = ::getpid();
    const pid_t command = check(::fork(), "start the command");
    if (command == 0) become(request, files, session);
    files.clear();
    bool caller_is_there = true;
    while (true) {
        std::array<pollfd, 2> watched{
            {{children.get(), POLLIN, 0}, {caller_is_there ? caller.get() : -1, POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0) continue;
        int status = 0;
        if (::waitpid(command, &status, WNOHANG) == command) {
            if (caller_is_there)
                send_reply(caller.get(), Reply::exited, fmt::format("{}", exit_code(status)));
            return 0;
        }
        signalfd_siginfo news;
        while (::read(children.get(), &news, sizeof news) > 0) continue;
        if (watched[1].revents != 0 && !pass_signals_on(caller.get())) {
            caller_is_there = false;
            end_session(command);
        }
    }
}

}  // namespace ductile::cluster
