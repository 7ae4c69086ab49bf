#include "agent/pmi_port.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "../patience.hpp"
#include "../pmi_client.hpp"

namespace ductile::agent::pmi_port_test {
namespace {

using namespace std::chrono_literals;

class PmiPortTest : public testing::Test {
  protected:
    /// Runs the client in another process, and the event loop until it has ended. Returns its code.
    template <class Client>
    int run(const Client& client) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setenv("PMI_PORT", port.address().c_str(), 1);
            ::_exit(client());
        }
        int status = -1;
        pid_t ended = 0;
        for (const auto end = std::chrono::steady_clock::now() + test::patient(10s);
             ended == 0 && std::chrono::steady_clock::now() < end;) {
            io.restart();
            io.run_for(5ms);
            ended = ::waitpid(child, &status, WNOHANG);
        }
        if (ended == 0) ::kill(child, SIGKILL), ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    /// 0: the connection was closed without a word.
    static int say(const std::string& text) {
        const int file = pmi_client::connect_to(*pmi_client::manager());
        if (file < 0) return 10;
        static_cast<void>(pmi_client::write_all(file, text));
        return static_cast<int>(pmi_client::read_line(file).size());
    }

    asio::io_context io;
    std::vector<std::string> refused;
    std::vector<PmiProgram> programs;
    PmiPort port{io, [this](const std::string& why) { refused.push_back(why); }};
    int id = port.add([this](PmiProgram program) {
        program.socket->send("hello");
        programs.push_back(std::move(program));
    });
};

TEST_F(PmiPortTest, WhoNamesAnIdIsPassedOn) {
    const auto other = port.add([](const PmiProgram& program) { program.socket->close(); });
    EXPECT_NE(other, id);
    const auto line = "cmd=initack pmiid=" + std::to_string(id) + "\n";
    EXPECT_EQ(run([&] { return say(line); }), 5);
    EXPECT_EQ(run([&] { return say(line); }), 5) << "its next program";
    ASSERT_EQ(programs.size(), 2U);
    EXPECT_NE(programs[0].inode, programs[1].inode);
    port.remove(id);
    EXPECT_EQ(run([&] { return say(line); }), 0);
}

TEST_F(PmiPortTest, WhoNamesNoneIsTurnedAway) {
    const auto wrong = id == 1 ? "2" : "1";
    for (const auto& text :
         {std::string("cmd=initack pmiid=") + wrong + "\n", std::string("cmd=initack\n"),
          std::string("cmd=init pmi_version=1 pmi_subversion=1\n"), std::string(1000000, 'x'),
          std::string(10000, '\n'),
          "cmd=initack pmiid=" + std::to_string(id) + "\ncmd=init pmi_version=1\n"})
        EXPECT_EQ(run([&] { return say(text); }), 0) << text.substr(0, 40);
    EXPECT_EQ(run([] { return pmi_client::connect_to(*pmi_client::manager()) < 0 ? 1 : 0; }), 0);
    EXPECT_TRUE(programs.empty());
    EXPECT_TRUE(refused.empty());
}

TEST_F(PmiPortTest, WhatHasComeIsDelivered) {
    const auto line = "cmd=initack pmiid=" + std::to_string(id) + "\n";
    ::setenv("PMI_PORT", port.address().c_str(), 1);
    const int file = pmi_client::connect_to(*pmi_client::manager());
    ASSERT_TRUE(pmi_client::write_all(file, line));
    port.drain();
    EXPECT_EQ(programs.size(), 1U);
    ::close(file);
    ::unsetenv("PMI_PORT");
}

TEST_F(PmiPortTest, AnotherUserIsTurnedAwayAlsoWithTheId) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    const auto line = "cmd=initack pmiid=" + std::to_string(id) + "\n";
    for (int times = 0; times < 2; ++times)
        EXPECT_EQ(run([&] { return ::setuid(65534) != 0 ? 11 : say(line); }), 0);
    EXPECT_TRUE(programs.empty());
    ASSERT_EQ(refused.size(), 1U) << "it is said once";
    EXPECT_NE(refused[0].find("user 65534"), std::string::npos) << refused[0];
}

}  // namespace
}  // namespace ductile::agent::pmi_port_test
