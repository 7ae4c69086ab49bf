#include "wire/local_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

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

/// One read may return the end of a message and the message after it, with its descriptor.
TEST(LocalSocket, ADescriptorIsKeptForTheNextMessage) {
    Pair pair;
    const Fd file(::dup(STDIN_FILENO));
    pair.one.send(
        to_frame(FromRank{Goodbye{}}) + to_frame(FromRank{RankHello{GroupId{4}, Rank{1}, 77}}),
        {file.get()});
    ASSERT_TRUE(pair.other.receive(1s).has_value());
    std::vector<Fd> given;
    ASSERT_TRUE(pair.other.receive(1s, &given).has_value());
    EXPECT_EQ(given.size(), 1u);
}

TEST(LocalSocket, NothingComesByTheDeadline) {
    Pair pair;
    EXPECT_FALSE(pair.one.receive(20ms).has_value());
}

TEST(LocalSocket, WhoIsNeverAcceptedWaitsToTheDeadline) {
    const auto path = ::testing::TempDir() + "ductile_never_accepts." + std::to_string(::getpid());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const Fd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    ASSERT_EQ(::listen(listening.get(), 0), 0);
    std::vector<LocalSocket> waiting;
    const auto fill = [&] {
        for (int i = 0; i < 8; ++i) waiting.push_back(LocalSocket::connect(path, 50ms));
    };
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(fill(), TimeoutError);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
    EXPECT_FALSE(waiting.empty());
    ::unlink(path.c_str());
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
