#include "wire/local_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/agent_messages.hpp"

namespace ductile::wire::local_socket_test {
namespace {

using namespace std::chrono_literals;

struct Pair {
    LocalSocket one, other;
    Pair() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            throw SystemError("socketpair");
        one = LocalSocket(Fd(ends[0]));
        other = LocalSocket(Fd(ends[1]));
    }
};

TEST(LocalSocket, MessagesAndDescriptorsPass) {
    Pair pair;
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const Fd read_end(pipe_ends[0]);
    Fd write_end(pipe_ends[1]);
    pair.one.send(to_frame(FromRank{RankHello{GroupId{4}, Rank{1}, 77}}), {write_end.get()});
    std::vector<Fd> given;
    const auto message = pair.other.receive(1s, &given);
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(std::get<RankHello>(decode<FromRank>(*message)).pid, 77);
    ASSERT_EQ(given.size(), 1u);
    write_end.reset();
    ASSERT_EQ(::write(given[0].get(), "x", 1), 1);
    char byte = 0;
    EXPECT_EQ(::read(read_end.get(), &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

// Both messages come by one read, and the first one is read by somebody who expects none.
TEST(LocalSocket, DescriptorsOfTheNextMessageAreKept) {
    Pair pair;
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const Fd read_end(pipe_ends[0]);
    const Fd write_end(pipe_ends[1]);
    pair.one.send(to_frame(FromRank{Goodbye{}}));
    pair.one.send(to_frame(FromRank{RankHello{GroupId{4}, Rank{1}, 77}}), {write_end.get()});
    ASSERT_TRUE(pair.other.receive(1s).has_value());
    std::vector<Fd> given;
    ASSERT_TRUE(pair.other.receive(1s, &given).has_value());
    EXPECT_EQ(given.size(), 1u);
}

TEST(LocalSocket, NothingComesByTheDeadline) {
    Pair pair;
    EXPECT_FALSE(pair.one.receive(20ms).has_value());
}

TEST(LocalSocket, PeerThatIsGoneIsAnErrorAndNoSignal) {
    Pair pair;
    pair.other.close();
    EXPECT_THROW(pair.one.receive(1s), SystemError);
    EXPECT_THROW(pair.one.send(to_frame(FromRank{Goodbye{}})), SystemError);
}

TEST(LocalSocket, PeerThatReadsNothingIsGivenUp) {
    Pair pair;
    const auto frame = to_frame(FromAgent{Notice{std::string(1 << 20, 'x')}});
    EXPECT_THROW(
        {
            for (int i = 0; i < 10; ++i) pair.one.send(frame, {}, 50ms);
        },
        TimeoutError);
}

TEST(LocalSocket, NobodyListens) {
    EXPECT_THROW(LocalSocket::connect("/tmp/ductile-no-such-socket", 100ms), SystemError);
    EXPECT_THROW(LocalSocket::connect(std::string(200, 'x'), 100ms), InputError);
}

}  // namespace
}  // namespace ductile::wire::local_socket_test
