#include "rms/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
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

#include "rms/command_child.hpp"
#include "rms/command_leftovers.hpp"

namespace ductile::rms {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kill_limit = milliseconds(1000);  // for a killed process to end
constexpr auto tick = milliseconds(10);  // between looks at a child that no descriptor tells of

class Descriptor {
  public:
    explicit Descriptor(int raw = -1) : raw_(raw) {}
    Descriptor(Descriptor&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Descriptor() { reset(); }
    void reset() {
        if (raw_ >= 0) close(std::exchange(raw_, -1));
    }
    [[nodiscard]] int raw() const { return raw_; }
    [[nodiscard]] bool is_open() const { return raw_ >= 0; }

  private:
    int raw_;
};

/// The same file at a number of 3 or above, so that it is never in the way of the child's 0, 1
/// and 2.
Descriptor above_standard(Descriptor low) {
    if (low.raw() > 2) return low;
    Descriptor high(fcntl(low.raw(), F_DUPFD_CLOEXEC, 3));
    if (!high.is_open()) throw std::system_error(errno, std::generic_category(), "fcntl");
    return high;
}

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) < 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    Descriptor first(ends[0]);
    Descriptor second(ends[1]);
    Pipe result{above_standard(std::move(first)), above_standard(std::move(second))};
    fcntl(result.read_end.raw(), F_SETFL, O_NONBLOCK);
    return result;
}

Descriptor open_nothing() {
    Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null.is_open()) throw std::system_error(errno, std::generic_category(), "/dev/null");
    return above_standard(std::move(null));
}

/// Where the shell would find the program, in the command's own PATH; as it stands when it has a
/// '/'.
std::string find_program(const Command& command) {
    const std::string& name = command.arguments.front();
    if (name.find('/') != std::string::npos) return name;
    std::string_view rest = "/usr/bin:/bin";
    if (const auto path = command.environment.find("PATH"); path != command.environment.end())
        rest = path->second;
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return name;
}

constexpr const char* mark_name = "DUCTILE_COMMAND";

/// A started command: reads its streams and knows when it has ended. Not yet reaped: its pid stays
/// its own.
class Running {
  public:
    Running(const Command& command, pid_t pid, Descriptor out, Descriptor err)
        : command_(command), pid_(pid), out_(std::move(out)), err_(std::move(err)) {
#ifdef SYS_pidfd_open
        end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#endif
    }

    enum class Stop { ended, time, cancelled };

    /// Reads output until the command ends, `until` comes, or (if it may) a descriptor cancels it.
    Stop read_until(Clock::time_point until, bool may_be_cancelled) {
        for (;;) {
            if (has_ended()) return Stop::ended;
            if (Clock::now() >= until) return Stop::time;
            if (wait_for_news(until, may_be_cancelled)) return Stop::cancelled;
            drain();
        }
    }

    /// Takes what lies in the pipes now.
    void drain() {
        drain(out_, result.out);
        drain(err_, result.err);
    }

    void signal_group(int number) const {
        kill(-pid_, number);
    }

    /// Reaps it, and notes its exit code or signal. Call when it has ended.
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

    /// Sleeps until something can be read, the command has ended or `until` has come; true when
    /// cancelled.
    bool wait_for_news(Clock::time_point until, bool may_be_cancelled) {
        std::vector<pollfd> watched;
        const auto watch = [&watched](int raw) { watched.push_back({raw, POLLIN, 0}); };
        if (may_be_cancelled)
            for (const int raw : command_.cancel_on) watch(raw);
        const std::size_t cancelling = watched.size();
        for (const Descriptor* each : {&out_, &err_, &end_})
            if (each->is_open()) watch(each->raw());

        auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
        if (!end_.is_open()) left = std::min<milliseconds>(left, tick);
        left = std::clamp<milliseconds>(left, milliseconds(0), std::chrono::hours(1));
        if (poll(watched.data(), watched.size(), static_cast<int>(left.count())) <= 0) return false;
        return std::any_of(watched.begin(),
                           watched.begin() + static_cast<std::ptrdiff_t>(cancelling),
                           [](const pollfd& each) { return each.revents != 0; });
    }

    void drain(Descriptor& from, std::string& into) {
        std::array<char, 16 * 1024> buffer{};
        for (int reads = 0; from.is_open() && reads < 64;
             ++reads) {  // a writer without end must not hold us
            const ssize_t got = read(from.raw(), buffer.data(), buffer.size());
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
    Descriptor out_;
    Descriptor err_;
    Descriptor
        end_;  // readable when the process has ended; closed where the kernel has no such thing
};

std::vector<LeftProcess> leftovers_after(const Belonging& whose, milliseconds settle) {
    const auto until = Clock::now() + settle;
    auto found = find_leftovers(whose);
    while (!found.empty() && Clock::now() < until) {
        std::this_thread::sleep_for(tick);
        found = find_leftovers(whose);
    }
    return found;
}

/// Follows a started command to its end, by force if need be, and clears up after it.
CommandResult finish(const Command& command, Running& running, const Belonging& whose) {
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
    if (stop == Stop::ended) running.result.left_behind = leftovers_after(whose, command.settle);
    kill_leftovers(whose);
    running.drain();
    if (gone) running.reap();
    if (stop == Stop::time) running.result.ended = Ended::deadline_passed;
    if (stop == Stop::cancelled) running.result.ended = Ended::cancelled;
    return std::move(running.result);
}

}  // namespace

CommandResult run_command(const Command& command) {
    const auto begin = Clock::now();
    Environment environment = command.environment;
    const std::string mark = environment[mark_name] = fresh_mark();
    ChildStart start;
    start.path = find_program(command);
    start.arguments = command.arguments;
    start.directory = command.directory;
    start.death_signal = command.death_signal;
    for (const auto& [name, value] : environment) start.environment.push_back(name + "=" + value);

    Pipe out = make_pipe();
    Pipe err = make_pipe();
    const Descriptor nothing = open_nothing();
    start.standard_input = nothing.raw();
    start.standard_output = out.write_end.raw();
    start.standard_error = err.write_end.raw();
    const StartedChild child = start_child(start);
    out.write_end.reset();
    err.write_end.reset();
    if (child.pid < 0) {
        CommandResult result;
        result.code = child.error;
        return result;
    }

    Running running(command, child.pid, std::move(out.read_end), std::move(err.read_end));
    CommandResult result =
        finish(command, running, {child.pid, std::string(mark_name) + "=" + mark});
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
            return "cannot be started (" + std::generic_category().message(result.code) + ")";
    }
    return {};
}

}  // namespace ductile::rms
