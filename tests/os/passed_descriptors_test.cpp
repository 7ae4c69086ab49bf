#include "os/passed_descriptors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "os/pipe.hpp"

namespace ductile::os::passed_descriptors_test {
namespace {

class PassedDescriptors : public ::testing::Test {
  protected:
    void SetUp() override {
        std::array<int, 2> both{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()), 0);
        ours = Fd(both[0]), theirs = Fd(both[1]);
    }

    std::string receive() {
        std::array<char, 64> buffer{};
        const auto got = receive_passed(theirs.get(), buffer, passed);
        return got < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(got));
    }

    Fd ours, theirs;
    std::vector<Fd> passed;
};

TEST_F(PassedDescriptors, TheyArriveWithTheBytesAndAreTheSameFile) {
    auto pipe = make_pipe("a test");
    const std::array<int, 1> given{pipe.write.get()};
    ASSERT_EQ(send_passing(ours.get(), "text", given, 0), 4);
    EXPECT_EQ(receive(), "text");
    ASSERT_EQ(passed.size(), 1u);
    EXPECT_NE(passed[0].get(), pipe.write.get());
    EXPECT_NE(::fcntl(passed[0].get(), F_GETFD) & FD_CLOEXEC, 0);
    pipe.write.reset();
    ASSERT_EQ(::write(passed[0].get(), "x", 1), 1);
    char read = 0;
    EXPECT_EQ(::read(pipe.read.get(), &read, 1), 1);
    EXPECT_EQ(read, 'x');
}

TEST_F(PassedDescriptors, BytesAloneBringNone) {
    ASSERT_EQ(send_passing(ours.get(), "text", {}, MSG_DONTWAIT), 4);
    EXPECT_EQ(receive(), "text");
    EXPECT_TRUE(passed.empty());
}

TEST_F(PassedDescriptors, AsManyAsMayBe) {
    const std::vector<int> given(max_passed, ours.get());
    ASSERT_EQ(send_passing(ours.get(), "t", given, 0), 1);
    EXPECT_EQ(receive(), "t");
    EXPECT_EQ(passed.size(), max_passed);
}

// If a peer sends more descriptors than this program expects, the surplus does not stay open.
TEST_F(PassedDescriptors, WhatIsTooManyIsClosed) {
    constexpr std::size_t many = 2 * max_passed;
    const std::vector<int> given(many, ours.get());
    char byte = 't';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(many * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(many * sizeof(int));
    std::copy(given.begin(), given.end(), reinterpret_cast<int*>(CMSG_DATA(header)));
    ASSERT_EQ(::sendmsg(ours.get(), &message, MSG_NOSIGNAL), 1);
    const int next = ::dup(ours.get());  // the lowest number that is free
    ::close(next);
    EXPECT_EQ(receive(), "t");
    EXPECT_EQ(passed.size(), max_passed);
    passed.clear();
    const int after = ::dup(ours.get());
    EXPECT_EQ(after, next);
    ::close(after);
}

TEST_F(PassedDescriptors, NothingIsThereYet) {
    EXPECT_EQ(receive(), "");
    EXPECT_EQ(errno, EAGAIN);
    ours.reset();
    std::array<char, 1> buffer{};
    EXPECT_EQ(receive_passed(theirs.get(), buffer, passed), 0);
}

}  // namespace
}  // namespace ductile::os::passed_descriptors_test
