// Processes that nobody waits for. At their deadline, or with their owner, they are killed together
// with all processes that they have started.
#include "broker/left_processes.hpp"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "../patience.hpp"

namespace ductile::broker::left_processes_test {
namespace {

using namespace std::chrono_literals;
using Clock = LeftProcesses::Clock;

/// A shell that hangs, and a child of it in a session of its own.
struct Hanging {
    explicit Hanging(asio::io_context& io) {
        char name[] = "/tmp/ductile-left-XXXXXX";
        folder = ::mkdtemp(name);
        process = std::make_unique<rms::AgentProcess>(
            io,
            std::vector<std::string>{"/bin/sh", "-c",
                                     "trap '' TERM; cd " + folder +
                                         "; setsid sh -c 'echo $$ > child; exec sleep 1000' & "
                                         "while ! [ -s child ]; do sleep 0.01; done; "
                                         "echo $$ > shell; sleep 1000; sleep 1000"},
            "", [](int, const std::string&) {});
        shell = pid_in("shell");
        child = pid_in("child");
    }
    ~Hanging() { std::filesystem::remove_all(folder); }
    Hanging(const Hanging&) = delete;
    Hanging& operator=(const Hanging&) = delete;

    pid_t pid_in(const std::string& file) const {
        pid_t pid = 0;
        for (const auto end = Clock::now() + test::patient(10s); pid == 0 && Clock::now() < end;) {
            std::ifstream(folder + "/" + file) >> pid;
            std::this_thread::sleep_for(5ms);
        }
        return pid;
    }
    /// A zombie counts as ended.
    static bool runs(pid_t pid) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(stat, text);
        const auto state = text.find(") ");
        return state != text.npos && text[state + 2] != 'Z';
    }
    [[nodiscard]] bool runs() const { return runs(shell) || runs(child); }

    std::string folder;
    std::unique_ptr<rms::AgentProcess> process;
    pid_t shell = 0, child = 0;
};

TEST(LeftProcesses, EndAtTheirTime) {
    asio::io_context io;
    Hanging hanging(io);
    ASSERT_TRUE(hanging.shell > 0 && hanging.child > 0);
    LeftProcesses left;
    const auto until = Clock::now() + 60s;
    left.add(std::move(hanging.process), until);
    left.check(until - 1s);
    EXPECT_TRUE(Hanging::runs(hanging.shell) && Hanging::runs(hanging.child));
    left.check(until + 1s);
    for (const auto end = Clock::now() + test::patient(5s); hanging.runs() && Clock::now() < end;)
        std::this_thread::sleep_for(5ms);
    EXPECT_FALSE(hanging.runs());
}

TEST(LeftProcesses, EndWithTheirOwner) {
    asio::io_context io;
    Hanging hanging(io);
    ASSERT_TRUE(hanging.shell > 0 && hanging.child > 0);
    const auto began = Clock::now();
    {
        LeftProcesses left;
        left.add(std::move(hanging.process));
        left.add(nullptr);
    }
    EXPECT_LT(Clock::now() - began, test::patient(4s));
    for (const auto end = Clock::now() + test::patient(5s); hanging.runs() && Clock::now() < end;)
        std::this_thread::sleep_for(5ms);
    EXPECT_FALSE(hanging.runs());
}

TEST(LeftProcesses, WhatEndsByItselfIsWaitedFor) {
    asio::io_context io;
    char name[] = "/tmp/ductile-left-XXXXXX";
    const std::string folder = ::mkdtemp(name);
    {
        LeftProcesses left;
        left.add(std::make_unique<rms::AgentProcess>(
            io,
            std::vector<std::string>{"/bin/sh", "-c", "sleep 0.3; echo done > " + folder + "/it"},
            "", [](int, const std::string&) {}));
    }
    EXPECT_TRUE(std::filesystem::exists(folder + "/it"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ductile::broker::left_processes_test
