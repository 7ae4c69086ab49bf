// A peer sends messages, and closes the connection.
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <asio/io_context.hpp>
#include <cstring>
#include <utility>

#include "agent/local_server.hpp"
#include "wire/frame.hpp"

namespace ductile::agent::local_peer_test {
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
        peer->on_message = [this](const wire::Message& message, const std::vector<wire::Fd>&) {
            heard.push_back(message.content().at("type"));
        };
        peer->on_closed = [this](const std::string& why) { closed = why.empty() ? "?" : why; };
        peer->start();
    }
    void says(const std::string& type) const {
        const auto frame = wire::to_frame(wire::Message(nlohmann::json{{"type", type}}));
        ASSERT_EQ(::write(far_end, frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
    }
};

TEST(LocalPeer, LastWordsAreHeardThoughThePeerIsWrittenToWhenItHasGone) {
    Pair pair;
    pair.says("first");
    pair.says("goodbye");
    ::close(pair.far_end);
    pair.peer->send(wire::to_frame(wire::Message(nlohmann::json{{"type", "too_late"}})));
    EXPECT_TRUE(pair.peer->open());
    pair.io.run();
    EXPECT_EQ(pair.heard, (std::vector<std::string>{"first", "goodbye"}));
    EXPECT_NE(pair.closed, "");
    EXPECT_FALSE(pair.peer->open());
    pair.peer->send("nothing happens");
}

TEST(LocalPeer, LastWordsAreHeardThoughThePeerLeavesWordsUnread) {
    Pair pair;
    pair.peer->send(wire::to_frame(wire::Message(nlohmann::json{{"type", "never_read"}})));
    pair.says("goodbye");
    ::close(pair.far_end);
    pair.peer->send(wire::to_frame(wire::Message(nlohmann::json{{"type", "too_late"}})));
    pair.peer->drain();
    pair.io.run();
    EXPECT_EQ(pair.heard, (std::vector<std::string>{"goodbye"}));
    EXPECT_NE(pair.closed, "");
}

/// Reads what has arrived: how many bytes, and how many descriptors came with them.
std::pair<std::size_t, int> take(int socket) {
    std::array<char, 4096> buffer{};
    iovec part{buffer.data(), buffer.size()};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const auto n = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    int descriptors = 0;
    for (auto* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(one), sizeof(fd));
        ::close(fd);
        ++descriptors;
    }
    return {n > 0 ? static_cast<std::size_t>(n) : 0, descriptors};
}

struct Sockets {
    wire::Fd near_end, far_end;
    Sockets() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::runtime_error("socketpair");
        near_end = wire::Fd(ends[0]);
        far_end = wire::Fd(ends[1]);
    }
};

TEST(FrameQueue, ASlowReaderGetsAllAndEachDescriptorOnce) {
    const Sockets sockets;
    FrameQueue queue;
    const std::string large(1u << 20, 'x');
    queue.add(large, wire::Fd(::dup(0)));
    queue.add("small", wire::Fd(::dup(0)));
    EXPECT_EQ(queue.bytes(), large.size() + 5);
    std::size_t bytes = 0;
    int descriptors = 0, rounds = 0;
    auto written = FrameQueue::Written::some;
    for (; bytes < large.size() + 5 && rounds < 100000; ++rounds) {
        if (written == FrameQueue::Written::some) written = queue.write_to(sockets.near_end.get());
        const auto [more, came] = take(sockets.far_end.get());
        bytes += more;
        descriptors += came;
    }
    EXPECT_EQ(written, FrameQueue::Written::all);
    EXPECT_EQ(bytes, large.size() + 5);
    EXPECT_EQ(descriptors, 2);
    EXPECT_EQ(queue.bytes(), 0u);
}

TEST(FrameQueue, WithoutAReaderItFailsAndCanBeCleared) {
    Sockets sockets;
    sockets.far_end.reset();
    FrameQueue queue;
    EXPECT_EQ(queue.write_to(sockets.near_end.get()), FrameQueue::Written::all) << "nothing waits";
    queue.add("a", {});
    EXPECT_EQ(queue.write_to(sockets.near_end.get()), FrameQueue::Written::failed);
    EXPECT_EQ(queue.bytes(), 1u);
    queue.clear();
    EXPECT_EQ(queue.bytes(), 0u);
}

}  // namespace
}  // namespace ductile::agent::local_peer_test
