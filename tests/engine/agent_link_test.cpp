#include "engine/agent_link.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <future>

namespace ductile::engine::agent_link_test {
namespace {

using namespace std::chrono_literals;

/// The socket of an agent, in a directory of its own.
class Listener {
  public:
    Listener() {
        char name[] = "/tmp/ductile-link-XXXXXX";
        directory_ = ::mkdtemp(name);
        path = directory_ + "/agent.sock";
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        listening_ = wire::Fd(::socket(AF_UNIX, SOCK_STREAM, 0));
        EXPECT_EQ(
            ::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
        EXPECT_EQ(::listen(listening_.get(), 1), 0);
    }
    ~Listener() { std::filesystem::remove_all(directory_); }
    wire::LocalSocket accept() {
        return wire::LocalSocket(wire::Fd(::accept(listening_.get(), nullptr, nullptr)));
    }

    std::string path;

  private:
    std::string directory_;
    wire::Fd listening_;
};

TEST(AgentLink, hears_what_came_together_with_the_welcome) {
    Listener listener;
    auto agent = std::async(std::launch::async, [&listener] {
        auto peer = listener.accept();
        static_cast<void>(peer.receive(1s));  // the hello
        const std::string both =
            wire::to_frame(wire::ToRank{wire::RankWelcome{}}) +
            wire::to_frame(wire::ToRank{wire::Prepare{core::TransactionId{7}, 1}});
        EXPECT_EQ(::write(peer.fd(), both.data(), both.size()), static_cast<ssize_t>(both.size()));
        return peer;
    });
    AgentLink link({listener.path, core::GroupId{0}}, core::Rank{0});
    const auto peer = agent.get();
    std::promise<wire::ToRank> heard;
    link.start([&heard](const wire::ToRank& message) { heard.set_value(message); }, [] {});
    auto first = heard.get_future();
    ASSERT_EQ(first.wait_for(2s), std::future_status::ready);
    EXPECT_EQ(std::get<wire::Prepare>(first.get()).transaction, core::TransactionId{7});
    link.close(false);
}

TEST(AgentLink, TakesTheInputThatCameTogetherWithTheWelcome) {
    const wire::Fd before(::dup(STDIN_FILENO));
    Listener listener;
    auto agent = std::async(std::launch::async, [&listener] {
        auto peer = listener.accept();
        static_cast<void>(peer.receive(1s));  // the hello
        const auto pipe = os::make_pipe("a test");
        EXPECT_EQ(::write(pipe.write.get(), "x", 1), 1);
        peer.send(wire::to_frame(wire::ToRank{wire::RankWelcome{}}) +
                      wire::to_frame(wire::ToRank{wire::TakeInput{}}),
                  {pipe.read.get()});
        return peer;
    });
    AgentLink link({listener.path, core::GroupId{0}}, core::Rank{0});
    const auto peer = agent.get();
    link.start([](const wire::ToRank&) {}, [] {});
    link.wait_for_input(5s);
    char byte = 0;
    EXPECT_EQ(::read(STDIN_FILENO, &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    link.close(false);
    ::dup2(before.get(), STDIN_FILENO);
}

// The program of the new rank 0 may read immediately. So the link waits for its standard input.
TEST(AgentLink, TheNewReaderWaitsForItsInput) {
    const wire::Fd before(::dup(STDIN_FILENO));
    Listener agent;
    auto answers = std::async(std::launch::async, [&agent] {
        auto peer = agent.accept();
        peer.receive(5s);
        peer.send(wire::to_frame(wire::ToRank{wire::RankWelcome{}}));
        const auto pipe = os::make_pipe("a test");
        EXPECT_EQ(::write(pipe.write.get(), "x", 1), 1);
        std::this_thread::sleep_for(100ms);  // the input comes late
        peer.send(wire::to_frame(wire::ToRank{wire::TakeInput{}}), {pipe.read.get()});
        peer.receive(5s);
        return peer;
    });
    AgentLink link({agent.path, core::GroupId{0}}, core::Rank{0});
    link.start([](const wire::ToRank&) {}, [] {});
    link.wait_for_input(10s);
    char byte = 0;
    EXPECT_EQ(::read(STDIN_FILENO, &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    const auto begin = std::chrono::steady_clock::now();
    link.wait_for_input(50ms);  // no second input comes
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
    link.close(true);
    answers.get();
    EXPECT_GE(::dup2(before.get(), STDIN_FILENO), 0);
}

}  // namespace
}  // namespace ductile::engine::agent_link_test
