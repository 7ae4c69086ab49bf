// Commands that behave, and commands that do not: the end of each is reported once, and none of its
// processes stays behind.
#include "rms/command_runner.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "event_loop.hpp"

namespace ductile::rms::command_runner_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool is_gone(int pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(stat, line);
    const auto name_end = line.rfind(')');
    return name_end == std::string::npos || line.at(name_end + 2) == 'Z';
}

CommandRunner::Command shell(const std::string& script) {
    CommandRunner::Command command;
    command.arguments = {"sh", "-c", script};
    command.environment = {{"PATH", "/usr/bin:/bin"}};
    return command;
}

class CommandRunnerTest : public ::testing::Test {
  protected:
    CommandResult run(CommandRunner::Command command) {
        start(std::move(command));
        EXPECT_TRUE(run_until(io, [this] { return told > 0; }));
        io.restart();
        while (io.poll_one() > 0) {
        }
        EXPECT_EQ(told, 1);
        return result;
    }
    void start(CommandRunner::Command command) {
        told = 0;
        runner = std::make_unique<CommandRunner>(io, std::move(command),
                                                 [this](const CommandResult& end) {
                                                     ++told;
                                                     result = end;
                                                 });
    }
    asio::io_context io;
    std::unique_ptr<CommandRunner> runner;
    CommandResult result;
    int told = 0;
};

TEST_F(CommandRunnerTest, TellsOutputErrorsAndExitCode) {
    const auto end = run(shell("echo to out; echo to err >&2; exit 3"));
    EXPECT_EQ(end.ended, Ended::exited);
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.out, "to out\n");
    EXPECT_EQ(end.err, "to err\n");
    EXPECT_TRUE(end.left_behind.empty());
    CommandRunner::Command command;
    command.arguments = {"true"};
    EXPECT_TRUE(run(command).succeeded()) << "sought in /usr/bin:/bin";
}

TEST_F(CommandRunnerTest, GivesItItsInputAndThenTheEndOfIt) {
    auto command = shell("cat");
    command.input = "some text";
    EXPECT_EQ(run(command).out, "some text");
    EXPECT_EQ(run(shell("cat; echo end")).out, "end\n");
}

TEST_F(CommandRunnerTest, MuchInputAndMuchOutput) {
    auto command = shell("cat; cat /dev/null; head -c 3000000 /dev/zero | tr '\\0' x >&2");
    command.input = std::string(2'000'000, 'y');
    command.max_output_bytes = 1'500'000;
    const auto end = run(command);
    EXPECT_TRUE(end.succeeded());
    EXPECT_EQ(end.out, std::string(1'500'000, 'y'));
    EXPECT_EQ(end.err, std::string(1'500'000, 'x'));
    EXPECT_TRUE(end.output_dropped);
}

TEST_F(CommandRunnerTest, OneThatReadsNothingMayEnd) {
    auto command = shell("exec 0<&-; exit 0");
    command.input = std::string(2'000'000, 'y');
    EXPECT_TRUE(run(command).succeeded());
}

TEST_F(CommandRunnerTest, TellsTheSignal) {
    const auto command = shell("kill -SEGV $$");
    const auto end = run(command);
    EXPECT_EQ(end.ended, Ended::signalled);
    EXPECT_EQ(how_it_ended(command, end), "killed by signal 11 (Segmentation fault)");
}

TEST_F(CommandRunnerTest, TellsWhyItCannotStart) {
    CommandRunner::Command command;
    command.arguments = {"ductile-no-such-program"};
    const auto end = run(command);
    EXPECT_EQ(end.ended, Ended::not_started);
    EXPECT_EQ(end.code, ENOENT);
}

TEST_F(CommandRunnerTest, EndsAtItsDeadline) {
    auto command = shell("exec sleep 1000");
    command.deadline = milliseconds(50);
    const auto end = run(command);
    EXPECT_EQ(end.ended, Ended::deadline_passed);
    EXPECT_LT(end.took, seconds(10));
    EXPECT_EQ(how_it_ended(command, end), "no end within 0.1 s");
}

TEST_F(CommandRunnerTest, OneThatIgnoresSigtermIsKilled) {
    auto command = shell("trap '' TERM INT HUP; echo $$; while :; do sleep 0.05; done");
    command.deadline = milliseconds(300);
    command.grace = milliseconds(50);
    const auto end = run(command);
    EXPECT_EQ(end.ended, Ended::deadline_passed);
    ASSERT_FALSE(end.out.empty());
    EXPECT_TRUE(is_gone(std::stoi(end.out)));
}

TEST_F(CommandRunnerTest, EndlessOutputEndsAtTheDeadline) {
    auto command = shell("exec yes");
    command.deadline = milliseconds(100);
    const auto end = run(command);
    EXPECT_EQ(end.ended, Ended::deadline_passed);
    EXPECT_EQ(end.out.size(), command.max_output_bytes);
}

TEST_F(CommandRunnerTest, LeavesNothingBehindWhenItEnds) {
    // One descendant stays in the session, one leaves it; both hold the pipes open.
    const auto end =
        run(shell("sleep 1000 & setsid sleep 1000 & "
                  "until grep -aq '^sleep' /proc/$!/cmdline; do :; done"));
    EXPECT_EQ(end.ended, Ended::exited);
    EXPECT_EQ(end.left_behind.size(), 2u);
    for (const auto& left : end.left_behind) EXPECT_TRUE(is_gone(left.pid)) << left.command_line;
}

TEST_F(CommandRunnerTest, CanBeCancelled) {
    start(shell("exec sleep 1000"));
    runner->cancel();
    runner->cancel();
    ASSERT_TRUE(run_until(io, [this] { return told > 0; }));
    EXPECT_EQ(result.ended, Ended::cancelled);
}

TEST_F(CommandRunnerTest, ItsDestructionKillsAllAndTellsNothing) {
    const auto fifo = ::testing::TempDir() + "runner_" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    start(shell("sleep 1000 & echo $! $$ > " + fifo + "; wait"));
    std::ifstream pids(fifo);  // waits for the command
    int child = 0, command = 0;
    pids >> child >> command;
    ::unlink(fifo.c_str());
    ASSERT_GT(command, 0);
    EXPECT_FALSE(is_gone(child));
    runner.reset();
    io.restart();
    io.run();  // until nothing is left to wait for
    EXPECT_TRUE(is_gone(child));
    EXPECT_TRUE(is_gone(command));
    EXPECT_EQ(told, 0);
}

TEST_F(CommandRunnerTest, ItsCallbackMayDestroyIt) {
    runner = std::make_unique<CommandRunner>(io, shell("echo x"), [this](const CommandResult& end) {
        result = end;
        runner.reset();
        ++told;
    });
    ASSERT_TRUE(run_until(io, [this] { return told > 0; }));
    EXPECT_EQ(result.out, "x\n");
}

TEST_F(CommandRunnerTest, SeveralRunAtOnce) {
    std::vector<std::unique_ptr<CommandRunner>> runners;
    std::vector<std::string> outputs(8);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        runners.push_back(std::make_unique<CommandRunner>(
            io, shell("echo " + std::to_string(i)), [this, &outputs, i](const CommandResult& end) {
                outputs[i] = end.out;
                ++told;
            }));
    ASSERT_TRUE(run_until(io, [this] { return told == 8; }));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace ductile::rms::command_runner_test
