#include "rms/command_queue.hpp"

#include <gtest/gtest.h>

#include <string>

#include "event_loop.hpp"

namespace ductile::rms::command_queue_test {
namespace {

CommandRunner::Command shell(const std::string& script) {
    CommandRunner::Command command;
    command.arguments = {"/bin/sh", "-c", script};
    return command;
}

TEST(CommandQueue, RunsOneAfterTheOther) {
    asio::io_context io;
    CommandQueue queue(io, 1);
    std::string ended;
    const auto note = [&ended](const CommandResult& result) { ended += result.out; };
    for (const char* name : {"a", "b", "c"}) queue.run(shell(std::string("printf ") + name), note);
    EXPECT_TRUE(run_until(io, [&ended] { return ended.size() == 3; }));
    EXPECT_EQ(ended, "abc");
}

TEST(CommandQueue, RunsSomeAtATime) {
    asio::io_context io;
    CommandQueue queue(io, 2);
    std::string ended;
    const auto note = [&ended](const CommandResult& result) { ended += result.out; };
    queue.run(shell("sleep 0.5; printf a"), note);
    queue.run(shell("printf b"), note);
    queue.run(shell("printf c"), note);
    EXPECT_TRUE(run_until(io, [&ended] { return ended.size() == 3; }));
    EXPECT_EQ(ended, "bca");
}

TEST(CommandQueue, OneThatEndsMayStartAnother) {
    asio::io_context io;
    CommandQueue queue(io, 1);
    std::string ended;
    queue.run(shell("exit 3"), [&](const CommandResult& first) {
        EXPECT_EQ(first.code, 3);
        queue.run(shell("printf x"), [&ended](const CommandResult& next) { ended = next.out; });
    });
    EXPECT_TRUE(run_until(io, [&ended] { return ended == "x"; }));
}

}  // namespace
}  // namespace ductile::rms::command_queue_test
