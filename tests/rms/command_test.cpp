// Commands that behave, and commands that do not: each must end in time and leave nothing behind.
#include "rms/command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "../patience.hpp"

namespace ductile::rms::command_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::patient;

Command shell(const std::string& script) {
    Command command;
    command.arguments = {"/bin/sh", "-c", script};
    command.environment = {{"PATH", "/usr/bin:/bin"}};
    return command;
}

/// Whether the process has ended. A zombie, which its parent has yet to reap, has ended, too.
bool is_gone(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    const auto name_end = line.rfind(')');
    return name_end == std::string::npos || line.at(name_end + 2) == 'Z';
}

bool is_gone_within(pid_t pid, milliseconds limit) {
    for (const auto end = std::chrono::steady_clock::now() + patient(limit);
         std::chrono::steady_clock::now() < end;) {
        if (is_gone(pid)) return true;
        std::this_thread::sleep_for(milliseconds(5));
    }
    return is_gone(pid);
}

class Folder {
  public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "ductile-command-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
    std::filesystem::path path;
};

std::string read_text(const std::string& file) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

pid_t read_pid(const std::string& file, milliseconds limit) {
    for (const auto end = std::chrono::steady_clock::now() + patient(limit);
         std::chrono::steady_clock::now() < end;) {
        const std::string text = read_text(file);
        if (!text.empty()) return static_cast<pid_t>(std::stoi(text));
        std::this_thread::sleep_for(milliseconds(5));
    }
    return 0;
}

/// A deadline by which a shell has begun what it was told to do, also on a machine that stalls for
/// a second meanwhile.
constexpr milliseconds begun{2000};

/// What run_command promises.
milliseconds limit_of(const Command& command) {
    return patient(command.deadline + command.grace + command.settle + seconds(2));
}

TEST(Command, TellsOutputErrorsAndExitCode) {
    const auto result = run_command(shell("echo to out; echo to err >&2; exit 3"));
    EXPECT_EQ(result.ended, Ended::exited);
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "to out\n");
    EXPECT_EQ(result.err, "to err\n");
    EXPECT_FALSE(result.succeeded());
    EXPECT_TRUE(result.left_behind.empty());
}

TEST(Command, TellsTheSignal) {
    const Command command = shell("kill -SEGV $$");
    const auto result = run_command(command);
    EXPECT_EQ(result.ended, Ended::signalled);
    EXPECT_EQ(result.code, SIGSEGV);
    EXPECT_EQ(how_it_ended(command, result), "killed by signal 11 (Segmentation fault)");
}

TEST(Command, TellsWhyItCannotStart) {
    Command missing;
    missing.arguments = {"/nowhere/program"};
    const auto result = run_command(missing);
    EXPECT_EQ(result.ended, Ended::not_started);
    EXPECT_EQ(result.code, ENOENT);
    EXPECT_EQ(how_it_ended(missing, result), "cannot be started (No such file or directory)");

    Command unknown;
    unknown.arguments = {"ductile-no-such-program"};
    EXPECT_EQ(run_command(unknown).code, ENOENT);

    Command lost = shell("true");
    lost.directory = "/nowhere";
    EXPECT_EQ(run_command(lost).code, ENOENT);
}

TEST(Command, HasTheGivenEnvironmentAndNoOther) {
    setenv("DUCTILE_TEST_INHERITED", "1", 1);
    Command command;
    command.arguments = {"/usr/bin/env"};
    command.environment = {{"A", "1"}, {"B", "two words=2"}};
    const auto result = run_command(command);
    ASSERT_TRUE(result.succeeded());
    EXPECT_NE(result.out.find("A=1\n"), std::string::npos);
    EXPECT_NE(result.out.find("B=two words=2\n"), std::string::npos);
    EXPECT_NE(result.out.find("DUCTILE_COMMAND="), std::string::npos);
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3);
}

TEST(Command, IsSoughtInItsOwnPath) {
    const Folder folder;
    std::ofstream(folder.file("scontrol")) << "#!/bin/sh\necho stand-in \"$@\"\n";
    std::filesystem::permissions(folder.file("scontrol"), std::filesystem::perms::owner_all);
    Command command;
    command.arguments = {"scontrol", "a b", "$HOME"};
    command.environment = {{"PATH", "/nowhere:" + folder.path.string() + ":/bin"}};
    EXPECT_EQ(run_command(command).out, "stand-in a b $HOME\n");
}

TEST(Command, RunsInTheGivenDirectory) {
    const Folder folder;
    Command command = shell("pwd -P");
    command.directory = folder.path;
    EXPECT_EQ(run_command(command).out, std::filesystem::canonical(folder.path).string() + "\n");
}

TEST(Command, HasNoInputAndAFreshSession) {
    const auto result =
        run_command(shell("read line; echo rc $?; ps -o sid= -p $$ | tr -d ' '; echo $$"));
    const auto first_end = result.out.find('\n');
    EXPECT_EQ(result.out.substr(0, first_end), "rc 1");
    const std::string rest = result.out.substr(first_end + 1);
    const auto second_end = rest.find('\n');
    EXPECT_EQ(rest.substr(0, second_end) + "\n", rest.substr(second_end + 1));
}

TEST(Command, StartsWithDefaultSignalsAndNoForeignDescriptors) {
    signal(SIGPIPE, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int leaked = fcntl(null, F_DUPFD, 57);  // not O_CLOEXEC, as a careless library leaves it
    ASSERT_GE(leaked, 57);
    const std::string seen = "/proc/self/fd/" + std::to_string(leaked);
    const auto result = run_command(
        shell("grep -E 'Sig(Blk|Ign)' /proc/self/status; test -e " + seen + " && echo inherited"));
    close(null);
    close(leaked);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    signal(SIGPIPE, SIG_DFL);
    EXPECT_EQ(result.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Command, ThatIgnoresSigtermEndsAtItsDeadline) {
    Command command = shell("trap '' TERM INT HUP; echo $$; while :; do sleep 0.05; done");
    command.deadline = begun;
    command.grace = milliseconds(200);
    const auto result = run_command(command);
    EXPECT_EQ(result.ended, Ended::deadline_passed);
    EXPECT_EQ(how_it_ended(command, result), "no end within 2.0 s");
    EXPECT_GE(result.took, command.deadline + command.grace);
    EXPECT_LE(result.took, limit_of(command));
    ASSERT_FALSE(result.out.empty());
    EXPECT_TRUE(is_gone(std::stoi(result.out)));
}

TEST(Command, ThatHeedsSigtermIsNotKilled) {
    Command command = shell("trap 'echo cleaned up; exit 0' TERM; while :; do sleep 0.02; done");
    command.deadline = begun;
    command.grace = seconds(60);
    const auto result = run_command(command);
    EXPECT_EQ(result.ended, Ended::deadline_passed);
    EXPECT_EQ(result.out, "cleaned up\n");
    EXPECT_LT(result.took, patient(seconds(5))) << "its grace is not waited for";
}

TEST(Command, LeavesNothingBehindWhenItEnds) {
    // One descendant stays in the session, one leaves it; both hold the pipes open.
    const auto result = run_command(
        shell("sleeps() { [ \"$(tr '\\0' ' ' </proc/$1/cmdline)\" = 'sleep 1000 ' ]; }; "
              "sleep 1000 & first=$!; setsid sleep 1000 & "
              "until sleeps $first && sleeps $!; do sleep 0.01; done"));
    EXPECT_EQ(result.ended, Ended::exited);
    EXPECT_LT(result.took, patient(seconds(3)));
    ASSERT_EQ(result.left_behind.size(), 2U);
    for (const auto& left : result.left_behind) {
        EXPECT_EQ(left.command_line, "sleep 1000");
        EXPECT_TRUE(is_gone_within(left.pid, seconds(1)));
    }
}

TEST(Command, LeavesNothingBehindAtItsDeadline) {
    const Folder folder;
    Command command = shell(
        "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.05; done' & "
        "trap '' TERM; while :; do sleep 0.05; done");
    command.directory = folder.path;
    command.deadline = begun;
    command.grace = milliseconds(100);
    EXPECT_EQ(run_command(command).ended, Ended::deadline_passed);
    const pid_t escaped = read_pid(folder.file("pid"), seconds(1));
    ASSERT_GT(escaped, 0);
    EXPECT_TRUE(is_gone_within(escaped, seconds(1)));
}

TEST(Command, DescendantsMayTakeTimeToEnd) {
    Command command = shell("sleep 0.2 & exit 0");
    command.settle = seconds(60);
    const auto result = run_command(command);
    EXPECT_TRUE(result.left_behind.empty());
    EXPECT_GE(result.took, milliseconds(200));
    EXPECT_LT(result.took, patient(seconds(4)));
}

TEST(Command, KeepsABoundedPartOfItsOutput) {
    Command command = shell("head -c 1000000 /dev/zero | tr '\\0' x; echo end >&2");
    command.max_output_bytes = 1000;
    const auto result = run_command(command);
    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.out, std::string(1000, 'x'));
    EXPECT_EQ(result.err, "end\n");
    EXPECT_TRUE(result.output_dropped);
}

TEST(Command, EndlessOutputEndsAtTheDeadline) {
    Command command = shell("exec yes");
    command.deadline = begun;
    const auto result = run_command(command);
    EXPECT_EQ(result.ended, Ended::deadline_passed);
    EXPECT_LE(result.took, limit_of(command));
    EXPECT_EQ(result.out.size(), command.max_output_bytes);
}

TEST(Command, ThatClosesItsStreamsIsStillAwaited) {
    const auto result = run_command(shell("exec >&- 2>&-; sleep 0.2; exit 5"));
    EXPECT_EQ(result.code, 5);
    EXPECT_GE(result.took, milliseconds(200));
}

TEST(Command, IsCancelledByADescriptor) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    Command command = shell("exec sleep 1000");
    command.deadline = seconds(60);
    command.cancel_on = {ends[0]};
    std::thread canceller([&] {
        std::this_thread::sleep_for(milliseconds(200));
        EXPECT_EQ(write(ends[1], "x", 1), 1);
    });
    const auto result = run_command(command);
    canceller.join();
    EXPECT_EQ(result.ended, Ended::cancelled);
    EXPECT_LT(result.took, patient(seconds(5)));
    EXPECT_EQ(run_command(command).ended, Ended::cancelled) << "still readable: ends at once";
    close(ends[0]);
    close(ends[1]);
}

TEST(Command, SeveralRunAtOnce) {
    std::vector<std::thread> threads;
    std::vector<CommandResult> results(8);
    for (std::size_t i = 0; i < results.size(); ++i)
        threads.emplace_back([&results, i] {
            results[i] = run_command(
                shell("sleep 0.1; echo " + std::to_string(i) + "; exit " + std::to_string(i)));
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].out, std::to_string(i) + "\n");
        EXPECT_EQ(results[i].code, static_cast<int>(i));
    }
}

/// Runs `body` in a new process, whose exit code is the result of `body`. Returns its pid.
pid_t in_a_process(const std::function<int()>& body) {
    const pid_t pid = fork();
    if (pid == 0) _exit(body());
    return pid;
}

TEST(Command, DiesWithItsCaller) {
    const Folder folder;
    const pid_t caller = in_a_process([&folder] {
        Command command = shell("echo $$ > pid; exec sleep 1000");
        command.directory = folder.path;
        command.deadline = seconds(60);
        return run_command(command).code;
    });
    const pid_t sleeper = read_pid(folder.file("pid"), seconds(10));
    ASSERT_GT(sleeper, 0);
    EXPECT_FALSE(is_gone(sleeper));
    kill(caller, SIGKILL);
    waitpid(caller, nullptr, 0);
    EXPECT_TRUE(is_gone_within(sleeper, seconds(5)));
}

TEST(Command, ASubReaperEndsEvenWhatHidesItsOrigin) {
    const Folder folder;
    const pid_t reaper = in_a_process([&folder] {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        Command command = shell(
            "env -i /usr/bin/setsid /bin/sh -c 'sleep 1000 & echo $$ > pid; wait' & "
            "until [ -s pid ]; do sleep 0.01; done");
        command.directory = folder.path;
        if (!run_command(command).left_behind.empty())
            return 1;  // without its session and its mark it is not found
        const pid_t hidden = read_pid(folder.file("pid"), seconds(5));
        if (hidden <= 0 || is_gone(hidden)) return 2;
        if (end_all_descendants().size() != 2) return 3;  // the shell and its sleep
        return is_gone(hidden) && waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? 0 : 4;
    });
    int status = 0;
    ASSERT_EQ(waitpid(reaper, &status, 0), reaper);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ductile::rms::command_test
