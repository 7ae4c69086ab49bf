#include "cli/doctor/interruption.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace ductile::cli::interruption_test {
namespace {

bool is_readable(int descriptor) {
    pollfd one{descriptor, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
}

TEST(Interruption, ASignalMakesItReadableAndDoesNotEndTheProcess) {
    {
        const Interruption interruption;
        EXPECT_FALSE(is_readable(interruption.descriptor()));
        ::raise(SIGTERM);
        EXPECT_TRUE(is_readable(interruption.descriptor()));
        EXPECT_EQ(interruption.signal(), SIGTERM);
    }
    const Interruption next;
    EXPECT_EQ(next.signal(), 0) << "the signal of before is over";
}

// nohup, or a shell for a command that ends in `&`.
TEST(Interruption, WhatTheCallerIgnoresIsNotHeard) {
    ::signal(SIGHUP, SIG_IGN);
    {
        const Interruption interruption;
        ::raise(SIGHUP);
        EXPECT_FALSE(is_readable(interruption.descriptor()));
        EXPECT_EQ(interruption.signal(), 0);
        ::raise(SIGINT);
        EXPECT_EQ(interruption.signal(), SIGINT);
    }
    EXPECT_EQ(::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace ductile::cli::interruption_test
