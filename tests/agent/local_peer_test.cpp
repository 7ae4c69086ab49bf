// A peer that speaks and goes.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <asio/io_context.hpp>

#include "agent/local_server.hpp"
#include "wire/frame.hpp"

namespace ductile::agent {
namespace {

struct Pair {
    asio::io_context io;
    std::shared_ptr<LocalPeer> peer;
    int far_end = -1;
    std::vector<std::string> heard;
    std::string closed;

    Pair() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::runtime_error("socketpair");
        far_end = ends[1];
        peer = std::make_shared<LocalPeer>(
            asio::local::stream_protocol::socket(io, asio::local::stream_protocol(), ends[0]));
        peer->on_message = [this](const wire::Json& json, const std::vector<wire::Fd>&) {
            heard.push_back(json.at("type"));
        };
        peer->on_closed = [this](const std::string& why) { closed = why.empty() ? "?" : why; };
        peer->start();
    }
    void says(const std::string& type) const {
        const auto frame = wire::to_frame(wire::Json{{"type", type}});
        ASSERT_EQ(::write(far_end, frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
    }
};

TEST(LocalPeer, LastWordsAreHeardThoughThePeerIsWrittenToWhenItHasGone) {
    Pair pair;
    pair.says("first");
    pair.says("goodbye");
    ::close(pair.far_end);
    pair.peer->send(wire::to_frame(wire::Json{{"type", "too_late"}}));
    EXPECT_TRUE(pair.peer->open());
    pair.io.run();
    EXPECT_EQ(pair.heard, (std::vector<std::string>{"first", "goodbye"}));
    EXPECT_NE(pair.closed, "");
    EXPECT_FALSE(pair.peer->open());
    pair.peer->send("nothing happens");
}

TEST(LocalPeer, LastWordsAreHeardThoughThePeerLeavesWordsUnread) {
    Pair pair;
    pair.peer->send(wire::to_frame(wire::Json{{"type", "never_read"}}));
    pair.says("goodbye");
    ::close(pair.far_end);
    pair.peer->send(wire::to_frame(wire::Json{{"type", "too_late"}}));
    pair.peer->drain();
    pair.io.run();
    EXPECT_EQ(pair.heard, (std::vector<std::string>{"goodbye"}));
    EXPECT_NE(pair.closed, "");
}

}  // namespace
}  // namespace ductile::agent
