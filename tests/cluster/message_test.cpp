#include "cluster/message.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::cluster::message_test {
namespace {

struct SocketPair {
    SocketPair() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        here = Descriptor{ends[0]};
        there = Descriptor{ends[1]};
    }
    Descriptor here, there;
};

TEST(Words, AreReadBackAsTheyWereWritten) {
    for (const Words& words : {Words{"status"}, Words{"exec", "", "a b", "\n\xff", ""}, Words{""}})
        EXPECT_EQ(split(join(words)), words);
    EXPECT_THROW(split(""), InputError);
    EXPECT_THROW(split("no end"), InputError);
}

TEST(Frame, ArrivesInPieces) {
    SocketPair pair;
    send_frame(pair.here.get(), "first");
    send_frame(pair.here.get(), "second");
    std::array<char, 64> bytes{};
    const ssize_t size = ::read(pair.there.get(), bytes.data(), bytes.size());
    ASSERT_EQ(size, 4 + 5 + 4 + 6);
    SocketPair slow;
    FrameReader reader;
    std::vector<std::string> frames;
    for (ssize_t i = 0; i < size; ++i) {
        ASSERT_EQ(::write(slow.here.get(), &bytes[static_cast<std::size_t>(i)], 1), 1);
        EXPECT_TRUE(reader.read(slow.there.get()));
        while (auto frame = reader.next()) frames.push_back(*frame);
    }
    EXPECT_EQ(frames, (std::vector<std::string>{"first", "second"}));
}

TEST(Frame, CarriesOpenFiles) {
    SocketPair pair, file;
    send_frame(pair.here.get(), "with a file", std::array{file.here.get()});
    FrameReader reader;
    EXPECT_TRUE(reader.read(pair.there.get()));
    EXPECT_EQ(reader.next(), "with a file");
    const auto files = reader.take_files();
    ASSERT_EQ(files.size(), 1U);
    ASSERT_EQ(::write(files[0].get(), "x", 1), 1);
    char byte = 0;
    EXPECT_EQ(::read(file.there.get(), &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    EXPECT_TRUE(reader.take_files().empty());
}

TEST(Frame, IsBounded) {
    SocketPair pair;
    EXPECT_THROW(send_frame(pair.here.get(), std::string(max_frame_bytes + 1, 'x')), InputError);
    const auto length = static_cast<std::uint32_t>(max_frame_bytes + 1);
    ASSERT_EQ(::write(pair.here.get(), &length, sizeof length), 4);
    FrameReader reader;
    EXPECT_TRUE(reader.read(pair.there.get()));
    EXPECT_THROW(reader.next(), InputError);

    SocketPair greedy;
    FrameReader bounded;
    const std::array<int, 2> files{0, 1};
    for (int i = 0; i < 2; ++i) {
        send_frame(greedy.here.get(), "more files", files);
        if (i == 0) {
            EXPECT_TRUE(bounded.read(greedy.there.get()));
        } else {
            EXPECT_THROW(bounded.read(greedy.there.get()), InputError);
        }
    }
}

TEST(Frame, EndsWithTheStream) {
    SocketPair pair;
    FrameReader reader;
    EXPECT_TRUE(reader.read(pair.there.get())) << "nothing there yet is no end";
    pair.here = Descriptor{};
    // Move assignment swaps with a temporary, and the temporary closes the old end.
    EXPECT_FALSE(reader.read(pair.there.get()));
    EXPECT_THROW(send_frame(pair.there.get(), "nobody there"), SystemError);
}

}  // namespace
}  // namespace ductile::cluster::message_test
