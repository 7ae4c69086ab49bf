#include "os/signals.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>

namespace ductile::os::signals_test {
namespace {

using Numbers = std::vector<int>;

TEST(Signals, AnIgnoredOneIsNotHeard) {
    ::signal(SIGUSR1, SIG_IGN);
    EXPECT_EQ(not_ignored(Numbers{SIGUSR1, SIGUSR2}), Numbers{SIGUSR2});
    ::signal(SIGUSR1, SIG_DFL);
    EXPECT_EQ(not_ignored(Numbers{SIGUSR1, SIGUSR2}), (Numbers{SIGUSR1, SIGUSR2}));
}

TEST(Signals, BlockedOnesAreUnblocked) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    unblock_signals();
    ::pthread_sigmask(SIG_BLOCK, nullptr, &set);
    EXPECT_NE(::sigismember(&set, SIGUSR1), 1);
    EXPECT_NE(::sigismember(&set, SIGCHLD), 1);
}

TEST(Signals, TheOnesForTheProgramEndNoJobAndHaveNoMeaningForTheKernel) {
    const auto numbers = program_signals();
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL, SIGSTOP, SIGTSTP, SIGCONT,
                             SIGTTIN, SIGTTOU, SIGCHLD, SIGPIPE, SIGSEGV, SIGABRT})
        EXPECT_EQ(std::ranges::count(numbers, number), 0) << number;
    for (const int number : {SIGUSR1, SIGXCPU, SIGRTMIN, SIGRTMAX})
        EXPECT_EQ(std::ranges::count(numbers, number), 1) << number;
}

TEST(Signals, WhoHelpsRanksOutlivesTheSignalsForTheProgram) {
    EXPECT_EXIT(
        {
            ignore_program_signals();
            for (const int number : program_signals()) ::raise(number);
            ::_exit(0);
        },
        ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(::raise(SIGUSR1), ::testing::KilledBySignal(SIGUSR1), "") << "what it is for";
}

}  // namespace
}  // namespace ductile::os::signals_test
