// The trap for MPI's aborts does not catch aborts by other code.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "mpi/abort_trap.hpp"

namespace ductile::mpi::other_aborts_test {
namespace {

using ductile::mpi::AbortTrap;

using Handler = void (*)(int);

Handler handler_of_sigabrt() {
    struct sigaction now {};
    ::sigaction(SIGABRT, nullptr, &now);
    return now.sa_handler;
}

void end_with_7(int /*signal*/) {
    ::_exit(7);
}

TEST(OtherAborts, OfAThreadThatIsNotGuardedEndsTheProcess) {
    EXPECT_EXIT(
        {
            const AbortTrap trap;
            std::abort();
        },
        testing::KilledBySignal(SIGABRT), "");
}

TEST(OtherAborts, OfAGuardedThreadThatMpiDidNotCallEndsTheProcess) {
    EXPECT_EXIT(
        {
            const AbortTrap trap;
            std::thread([] {
                AbortTrap::guard_this_thread([] { ::_exit(1); });
                std::abort();
            }).join();
        },
        testing::KilledBySignal(SIGABRT), "");
}

TEST(OtherAborts, GoToTheProgramsHandler) {
    EXPECT_EXIT(
        {
            ::signal(SIGABRT, end_with_7);
            const AbortTrap trap;
            std::abort();
        },
        testing::ExitedWithCode(7), "");
}

TEST(OtherAborts, TheProgramsHandlerIsPutBack) {
    const auto before = handler_of_sigabrt();
    ::signal(SIGABRT, end_with_7);
    {
        const AbortTrap trap;
        EXPECT_NE(handler_of_sigabrt(), end_with_7);
    }
    EXPECT_EQ(handler_of_sigabrt(), end_with_7);
    ::signal(SIGABRT, before);
}

}  // namespace
}  // namespace ductile::mpi::other_aborts_test
