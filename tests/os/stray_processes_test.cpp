#include "os/stray_processes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "os/fd.hpp"
#include "os/proc.hpp"
#include "os/spawn.hpp"

namespace ductile::os::stray_processes_test {
namespace {

/// Starts programs. They end with the test.
class StrayProcesses : public ::testing::Test {
  protected:
    void TearDown() override { kill_until_none(find_descendants); }

    static pid_t start(const std::vector<std::string>& argv,
                       const std::vector<std::string>& environment) {
        const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        Spawn what;
        what.argv = argv;
        what.environment = environment;
        what.input = what.output = what.error = nothing.get();
        const auto pid = spawn(what);
        // spawn() returns a moment before /proc shows the command line and the environment of the
        // new program.
        while (read_proc(pid, environment.empty() ? "cmdline" : "environ").empty()) ::usleep(1000);
        return pid;
    }
    static pid_t sleeper(const std::vector<std::string>& environment) {
        return start({"/bin/sleep", "1000"}, environment);
    }
    static bool finds(const ProcessSelector& whose, pid_t pid) {
        return std::ranges::count(find_processes(whose), pid) == 1;
    }

    const std::string mark_ = fresh_mark();
};

TEST_F(StrayProcesses, AreFoundByTheirMarks) {
    const auto ours = sleeper({"X=1", "AGENT=" + mark_ + ".7", "GROUP=3"});
    const auto other_group = sleeper({"AGENT=" + mark_ + ".7", "GROUP=33"});
    const auto other_agent = sleeper({"AGENT=" + mark_ + ".77", "GROUP=3"});
    const auto no_mark = sleeper({"NOAGENT=" + mark_ + ".7"});
    ProcessSelector whose;
    whose.mark = "AGENT=" + mark_ + ".7";
    whose.second_mark = "GROUP=3";
    EXPECT_EQ(find_processes(whose), std::vector<pid_t>{ours});
    whose.second_mark.clear();
    EXPECT_TRUE(finds(whose, other_group));
    EXPECT_FALSE(finds(whose, other_agent));
    whose.mark = "AGENT=" + mark_ + ".";
    EXPECT_TRUE(finds(whose, other_agent));
    EXPECT_FALSE(finds(whose, no_mark));
}

TEST_F(StrayProcesses, OfASessionAreFoundWithoutItsLeader) {
    const auto leader = start({"/bin/sh", "-c", "env -i /bin/sleep 1000; :"}, {});
    ProcessSelector whose;
    whose.mark = "AGENT=" + mark_;
    whose.session = leader;
    while (find_processes(whose).empty()) ::usleep(1000);
    const auto found = find_processes(whose);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0], leader);
}

TEST_F(StrayProcesses, WithoutAMarkAreFoundWhenTheyCameToThisProcess) {
    const auto orphan = sleeper({}), known = sleeper({});
    ProcessSelector whose;
    whose.mark = "AGENT=" + mark_;
    EXPECT_TRUE(find_processes(whose).empty());
    whose.unmarked_orphans = true;
    whose.known = {known};
    EXPECT_EQ(find_processes(whose), std::vector<pid_t>{orphan});
}

TEST_F(StrayProcesses, AreKilledAndReapedUntilNoneIsLeft) {
    const auto one = sleeper({"AGENT=" + mark_}), two = sleeper({"AGENT=" + mark_});
    ProcessSelector whose;
    whose.mark = "AGENT=" + mark_;
    EXPECT_EQ(kill_until_none([&] { return find_processes(whose); }), (std::set<pid_t>{one, two}));
    EXPECT_EQ(::waitpid(one, nullptr, WNOHANG), -1);
    EXPECT_TRUE(kill_until_none([] { return std::vector<pid_t>(); }).empty());
}

TEST_F(StrayProcesses, AreNotWaitedForWithoutAnEnd) {
    const auto begin = std::chrono::steady_clock::now();
    const auto never_gone = sleeper({});
    ::kill(never_gone, SIGKILL);
    kill_until_none([&] { return std::vector<pid_t>{never_gone}; }, std::chrono::milliseconds(50));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
}

TEST_F(StrayProcesses, DescendantsAreChildrenAndTheirChildren) {
    const auto child = start({"/bin/sh", "-c", "/bin/sleep 1000; :"}, {});
    while (find_descendants().size() < 2) ::usleep(1000);
    EXPECT_EQ(std::ranges::count(find_descendants(), child), 1);
    EXPECT_EQ(std::ranges::count(find_descendants(), ::getpid()), 0);
}

}  // namespace
}  // namespace ductile::os::stray_processes_test
