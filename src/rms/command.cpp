#include "rms/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "os/descriptors.hpp"
#include "os/fd.hpp"
#include "os/pipe.hpp"
#include "os/proc.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"

namespace ductile::rms {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto tick = milliseconds(10);  // between two checks, if no descriptor reports an end

/// A started command. Reads its streams and detects its end. Until reap() is called, the command is
/// not reaped, so no other process gets its pid.
class Running {
  public:
    Running(const Command& command, pid_t pid, os::Fd out, os::Fd err)
        : command_(command), pid_(pid), out_(std::move(out)), err_(std::move(err)) {
        for (const auto* pipe : {&out_, &err_}) os::never_block(*pipe);
        end_ = os::watch_process(pid);
    }

    enum class Stop { ended, time, cancelled };

    /// Reads output until the command ends or `until` has passed. With `may_be_cancelled` also
    /// until a descriptor of Command::cancel_on is ready.
    Stop read_until(Clock::time_point until, bool may_be_cancelled) {
        for (;;) {
            if (has_ended()) return Stop::ended;
            if (Clock::now() >= until) return Stop::time;
            if (wait_for_news(until, may_be_cancelled)) return Stop::cancelled;
            drain();
        }
    }

    /// Reads the output that is in the pipes now.
    void drain() {
        drain(out_, result.out);
        drain(err_, result.err);
    }

    void signal_group(int number) const { kill(-pid_, number); }

    /// Reaps the process and stores its exit code or signal. Call it when the process has ended.
    void reap() {
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0)
            if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
        result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        result.ended = WIFSIGNALED(status) ? Ended::signalled : Ended::exited;
    }

    CommandResult result;

  private:
    [[nodiscard]] bool has_ended() const {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
            errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "waitid");
        return info.si_pid == pid_;
    }

    /// Sleeps until there is something to read, the command has ended, or `until` has passed. True:
    /// the command is to be cancelled.
    bool wait_for_news(Clock::time_point until, bool may_be_cancelled) {
        std::vector<pollfd> watched;
        const auto watch = [&watched](int raw) { watched.push_back({raw, POLLIN, 0}); };
        if (may_be_cancelled)
            for (const int raw : command_.cancel_on) watch(raw);
        const std::size_t cancelling = watched.size();
        for (const os::Fd* each : {&out_, &err_, &end_})
            if (*each) watch(each->get());

        auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
        if (!end_) left = std::min<milliseconds>(left, tick);
        left = std::clamp<milliseconds>(left, milliseconds(0), std::chrono::hours(1));
        if (poll(watched.data(), watched.size(), static_cast<int>(left.count())) <= 0) return false;
        return std::any_of(watched.begin(),
                           watched.begin() + static_cast<std::ptrdiff_t>(cancelling),
                           [](const pollfd& each) { return each.revents != 0; });
    }

    void drain(os::Fd& from, std::string& into) {
        std::array<char, 16384> buffer{};
        for (int reads = 0; from && reads < 64; ++reads) {  // an endless writer must not block us
            const ssize_t got = read(from.get(), buffer.data(), buffer.size());
            if (got < 0) {
                if (errno == EINTR) continue;
                if (errno != EAGAIN) from.reset();
                return;
            }
            if (got == 0) return from.reset();
            const auto room =
                command_.max_output_bytes - std::min(command_.max_output_bytes, into.size());
            const auto kept = std::min(room, static_cast<std::size_t>(got));
            into.append(buffer.data(), kept);
            if (kept < static_cast<std::size_t>(got)) result.output_dropped = true;
        }
    }

    const Command& command_;
    pid_t pid_;
    os::Fd out_;
    os::Fd err_;
    os::Fd end_;  // readable when the process has ended; none on old kernels
};

/// The arguments of a process, separated by blanks, or "(name)" if it shows none.
std::string command_line(pid_t pid) {
    std::string line = os::read_proc(pid, "cmdline");
    while (!line.empty() && line.back() == '\0') line.pop_back();
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (!line.empty()) return line.substr(0, 200);
    std::string name = os::read_proc(pid, "comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    return "(" + name + ")";
}

std::vector<LeftProcess> left_after(const os::ProcessSelector& whose, milliseconds settle) {
    const auto until = Clock::now() + settle;
    auto found = os::find_processes(whose);
    while (!found.empty() && Clock::now() < until) {
        std::this_thread::sleep_for(tick);
        found = os::find_processes(whose);
    }
    return described(found);
}

/// Waits for the end of a started command, ends it by force if necessary, and cleans up.
CommandResult finish(const Command& command, Running& running, const os::ProcessSelector& whose) {
    using Stop = Running::Stop;
    const Stop stop = running.read_until(Clock::now() + command.deadline, true);
    bool gone = stop == Stop::ended;
    if (!gone) {
        running.signal_group(SIGTERM);
        gone = running.read_until(Clock::now() + command.grace, false) == Stop::ended;
    }
    if (!gone) {
        running.signal_group(SIGKILL);
        gone = running.read_until(Clock::now() + kill_limit, false) == Stop::ended;
    }
    running.drain();
    if (stop == Stop::ended) running.result.left_behind = left_after(whose, command.settle);
    os::kill_until_none([&whose] { return os::find_processes(whose); });
    running.drain();
    if (gone) running.reap();
    if (stop == Stop::time) running.result.ended = Ended::deadline_passed;
    if (stop == Stop::cancelled) running.result.ended = Ended::cancelled;
    return std::move(running.result);
}

}  // namespace

std::vector<LeftProcess> described(const std::vector<pid_t>& pids) {
    std::vector<LeftProcess> result;
    for (const pid_t pid : pids) result.push_back({pid, command_line(pid)});
    return result;
}

CommandResult run_command(const Command& command) {
    const auto begin = Clock::now();
    Environment environment = command.environment;
    const std::string mark = environment[command_mark] = os::fresh_mark();
    const auto path = environment.find("PATH");
    auto out = os::make_pipe("a command"), err = os::make_pipe("a command");
    const auto nothing = os::open_nothing(O_RDONLY);
    os::Spawn what;
    what.argv = command.arguments;
    what.file = os::find_program(command.arguments.front(),
                                 path == environment.end() ? "/usr/bin:/bin" : path->second);
    for (const auto& [name, value] : environment) what.environment.push_back(name + "=" + value);
    what.directory = command.directory;
    what.input = nothing.get();
    what.output = out.write.get();
    what.error = err.write.get();
    what.death_signal = command.death_signal;
    const auto child = os::try_spawn(what);
    out.write.reset();
    err.write.reset();
    if (child.pid < 0) {
        CommandResult result;
        result.code = child.error;
        return result;
    }

    Running running(command, child.pid, std::move(out.read), std::move(err.read));
    os::ProcessSelector whose;
    whose.mark = std::string(command_mark) + "=" + mark;
    whose.session = child.pid;
    CommandResult result = finish(command, running, whose);
    result.took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    return result;
}

std::string how_it_ended(const Command& command, const CommandResult& result) {
    const auto tenths = (command.deadline.count() + 50) / 100;
    switch (result.ended) {
        case Ended::exited:
            return "exit code " + std::to_string(result.code);
        case Ended::signalled:
            return "killed by signal " + std::to_string(result.code) + " (" +
                   strsignal(result.code) + ")";
        case Ended::deadline_passed:
            return "no end within " + std::to_string(tenths / 10) + "." +
                   std::to_string(tenths % 10) + " s";
        case Ended::cancelled:
            return "cancelled";
        case Ended::not_started:
            return "cannot be started (" +
                   (result.code == 0 ? result.err : std::generic_category().message(result.code)) +
                   ")";
    }
    return {};
}

std::vector<LeftProcess> end_all_descendants() {
    auto found = described(os::find_descendants());
    os::kill_until_none(os::find_descendants);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return found;
}

}  // namespace ductile::rms
