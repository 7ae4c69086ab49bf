// A child process that is no longer wanted ends with all processes that it has started.
#include "rms/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "event_loop.hpp"
#include "os/spawn.hpp"
#include "os/stray_processes.hpp"

namespace ductile::rms::child_process_test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::vector<pid_t> processes_of(const std::string& mark) {
    os::ProcessSelector whose;
    whose.mark = "DUCTILE_COMMAND=" + mark;
    return os::find_processes(whose);
}

/// Shells that start one marked process after the other until they are killed.
class Breeders {
  public:
    Breeders(int count, const std::string& mark) {
        os::Spawn shell;
        shell.argv = {
            "/bin/sh", "-c",
            "exec 2>/dev/null; while :; do DUCTILE_COMMAND=" + mark + " /bin/sleep 1000; done"};
        shell.input = shell.output = shell.error = 2;
        for (int i = 0; i < count; ++i) shells_.push_back(os::spawn(shell));
    }
    Breeders(const Breeders&) = delete;
    Breeders& operator=(const Breeders&) = delete;
    ~Breeders() { end(); }
    void end() {
        for (const auto pid : std::exchange(shells_, {})) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }

  private:
    std::vector<pid_t> shells_;
};

struct ChildProcessTest : testing::Test {
    /// Runs a script. The first line of its output must end with the mark of its process.
    void start(const std::string& script) {
        ChildProcess::Events events;
        events.on_output = [this](std::string_view piece) { said += piece; };
        events.on_end = [this](const ChildEnd&) { told = true; };
        child = std::make_unique<ChildProcess>(
            *io, std::vector<std::string>{"/bin/sh", "-c", script},
            Environment{{"PATH", "/usr/bin:/bin"}}, std::move(events));
        ASSERT_TRUE(run_until(*io, [this] { return said.ends_with('\n'); }));
        mark = said.substr(0, said.size() - 1);
    }

    void run_for(milliseconds time) {
        io->restart();
        io->run_for(time);
    }

    std::optional<asio::io_context> io{std::in_place};
    std::unique_ptr<ChildProcess> child;
    std::string said, mark;
    bool told = false;
};

TEST_F(ChildProcessTest, ADestructionThatSweepsLetsTheLoopGoOn) {
    start("echo $DUCTILE_COMMAND; exec sleep 1000");
    Breeders breeders(4, mark);
    for (int i = 0; i < 1000 && processes_of(mark).size() < 5; ++i) run_for(milliseconds(10));
    ASSERT_GE(processes_of(mark).size(), 5u);
    const auto before = Clock::now();
    child.reset();
    const auto after = Clock::now();
    EXPECT_LT(after - before, milliseconds(500)) << "it waits for the sweep";
    int beats = 0;
    for (; Clock::now() < after + milliseconds(400); ++beats) run_for(milliseconds(20));
    EXPECT_GE(beats, 4);
    EXPECT_FALSE(io->stopped()) << "the sweep was over at once";
    breeders.end();
    io->restart();
    io->run();  // until no process is left to look for
    EXPECT_TRUE(processes_of(mark).empty());
    EXPECT_FALSE(told);
}

TEST_F(ChildProcessTest, WhatIsLeftWhenTheLoopIsDestroyedEndsWithIt) {
    start(
        "setsid sleep 1000 & until grep -aq '^sleep' /proc/$!/cmdline; do :; done; "
        "echo $DUCTILE_COMMAND; exec sleep 1000");
    ASSERT_EQ(processes_of(mark).size(), 2u);
    child.reset();
    io.reset();
    EXPECT_TRUE(processes_of(mark).empty());
    EXPECT_FALSE(told);
}

TEST_F(ChildProcessTest, ItMayBeDestroyedByItsOwnOutput) {
    ChildProcess::Events events;
    events.on_output = [this](std::string_view piece) {
        said += piece;
        child.reset();
    };
    events.on_end = [this](const ChildEnd&) { told = true; };
    child = std::make_unique<ChildProcess>(
        *io, std::vector<std::string>{"/bin/sh", "-c", "echo $DUCTILE_COMMAND; exec sleep 1000"},
        Environment{{"PATH", "/usr/bin:/bin"}}, std::move(events));
    io->run();
    ASSERT_FALSE(said.empty());
    EXPECT_TRUE(processes_of(said.substr(0, said.size() - 1)).empty());
    EXPECT_FALSE(told);
}

}  // namespace
}  // namespace ductile::rms::child_process_test
