#include "os/spawn.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <thread>

#include "ductile/error.hpp"
#include "os/pipe.hpp"

namespace ductile::os::spawn_test {
namespace {

std::string read_all(int fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof(buffer))) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    return text;
}

/// A shell script that is started with all its descriptors set.
struct Shell {
    explicit Shell(const std::string& script)
        : out(make_pipe("the test")), nothing(::open("/dev/null", O_RDWR | O_CLOEXEC)) {
        what.argv = {"/bin/sh", "-c", script};
        what.environment = {"PATH=/usr/bin:/bin", "OURS=as given"};
        what.input = what.error = nothing.get();
        what.output = out.write.get();
    }
    /// Runs the script to its end, and returns what it has written.
    std::string run() {
        const pid_t pid = spawn(what);
        out.write.reset();
        auto text = read_all(out.read.get());
        ::waitpid(pid, &status, 0);
        return text;
    }
    Pipe out;
    Fd nothing;
    Spawn what;
    int status = -1;
};

TEST(Spawn, GivesWhatIsAskedFor) {
    Shell shell("pwd; umask; ulimit -n; echo $OURS; exit 5");
    shell.what.directory = "/usr";
    shell.what.umask = 0123;
    shell.what.resource_limits = {"7 100 200"};
    EXPECT_EQ(shell.run(), "/usr\n0123\n100\nas given\n");
    EXPECT_EQ(WEXITSTATUS(shell.status), 5);
}

TEST(Spawn, IsALeaderOfItsOwnSessionWithDefaultSignals) {
    Shell shell("cut -d ' ' -f 1,6 /proc/$$/stat; grep SigIgn /proc/$$/status");
    ::signal(SIGUSR1, SIG_IGN);
    const auto said = shell.run();
    ::signal(SIGUSR1, SIG_DFL);
    const auto blank = said.find(' '), line = said.find('\n');
    EXPECT_EQ(said.substr(0, blank), said.substr(blank + 1, line - blank - 1)) << said;
    EXPECT_NE(said.find("0000000000000000"), said.npos) << said;
}

// The kernel ignores SIGTSTP for a child in a session of its own: nobody there could continue it.
TEST(Spawn, ALeaderOfAProcessGroupAloneCanBeStopped) {
    Shell shell("kill -TSTP $$");
    shell.what.own_session = false;
    const pid_t pid = spawn(shell.what);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(::getpgid(pid), pid);
    EXPECT_EQ(::getsid(pid), ::getsid(0));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
}

TEST(Spawn, KeepsNoOtherDescriptors) {
    const Fd leaky(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
    // Not a pipeline, because the shell would have a descriptor of it for a moment. `ls` is not the
    // last command, because the shell would replace itself with the last command.
    Shell shell("ls /proc/$$/fd; true");
    EXPECT_EQ(shell.run(), "0\n1\n2\n");
}

TEST(Spawn, TheExtraDescriptorIsTheThird) {
    Shell shell("cat <&3");
    auto extra = make_pipe("the test");
    ASSERT_EQ(::write(extra.write.get(), "hello", 5), 5);
    extra.write.reset();
    shell.what.extra = extra.read.get();
    EXPECT_EQ(shell.run(), "hello");
}

// The given descriptors may have the numbers of each other: the input may be descriptor 1.
TEST(Spawn, DescriptorsMayBeInTheWayOfEachOther) {
    const Fd saved_in(::dup(0)), saved_out(::dup(1));
    Shell shell("echo out; cat; echo err >&2");
    auto in = make_pipe("the test");
    ASSERT_EQ(::write(in.write.get(), "in\n", 3), 3);
    in.write.reset();
    ::dup2(in.read.get(), 1);
    ::dup2(shell.out.write.get(), 0);
    shell.what.input = 1;
    shell.what.output = 0;
    shell.what.error = 0;
    pid_t pid = -1;
    pid = spawn(shell.what);
    ::dup2(saved_in.get(), 0);
    ::dup2(saved_out.get(), 1);
    shell.out.write.reset();
    EXPECT_EQ(read_all(shell.out.read.get()), "out\nin\nerr\n");
    ::waitpid(pid, nullptr, 0);
}

TEST(Spawn, SaysWhatHasFailed) {
    Shell shell("");
    shell.what.argv = {"/nowhere/program"};
    auto result = try_spawn(shell.what);
    EXPECT_EQ(result.step, SpawnResult::Step::program);
    EXPECT_EQ(result.error, ENOENT);
    shell.what.argv = {"/bin/sh"};
    shell.what.directory = "/nowhere";
    result = try_spawn(shell.what);
    EXPECT_EQ(result.step, SpawnResult::Step::directory);
    try {
        spawn(shell.what);
        ADD_FAILURE();
    } catch (const SystemError& error) {
        EXPECT_STREQ(error.what(),
                     "cannot start /bin/sh (the directory /nowhere: No such file or directory)");
    }
    for (const auto* limit : {"seven", "", "7", "7 100", "-1 100 100", "7 -2 100", "7 100 x"}) {
        shell.what.resource_limits = {limit};
        EXPECT_THROW(spawn(shell.what), InputError) << limit;
    }
    shell.what.argv.clear();
    EXPECT_THROW(spawn(shell.what), InputError);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
}

TEST(Spawn, EndsWithTheThreadThatStartedItOrLivesOn) {
    for (const int signal : {SIGKILL, 0}) {
        Shell shell("exec sleep 1000");
        shell.what.death_signal = signal;
        pid_t pid = -1;
        std::thread([&] { pid = spawn(shell.what); }).join();
        shell.out.write.reset();
        if (signal == 0) {
            EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0);
            ::kill(pid, SIGTERM);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(pid, &status, 0), pid);
        EXPECT_EQ(WTERMSIG(status), signal == 0 ? SIGTERM : SIGKILL);
    }
}

TEST(FindProgram, AsAShellDoes) {
    EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
    EXPECT_EQ(find_program("./sh", "/bin"), "./sh");
    EXPECT_EQ(find_program("no-such-program", "/bin"), "no-such-program");
}

}  // namespace
}  // namespace ductile::os::spawn_test
