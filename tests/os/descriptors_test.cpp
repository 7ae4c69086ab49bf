// A process that is watched is signalled by its descriptor.
#include "os/descriptors.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>

#include "os/spawn.hpp"

namespace ductile::os::descriptors_test {
namespace {

TEST(WatchedProcess, IsSignalledWhileItLives) {
    Spawn sleeper;
    sleeper.argv = {"/bin/sleep", "1000"};
    sleeper.input = sleeper.output = sleeper.error = 2;
    const auto pid = spawn(sleeper);
    const auto watch = watch_process(pid);
    ASSERT_TRUE(watch);
    signal_process(watch.get(), SIGTERM);
    pollfd ended{watch.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 10'000), 1);
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    signal_process(watch.get(), SIGTERM);  // the process has ended
}

}  // namespace
}  // namespace ductile::os::descriptors_test
