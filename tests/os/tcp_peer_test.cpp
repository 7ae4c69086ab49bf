#include "os/tcp_peer.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "os/fd.hpp"
#include "os/pipe.hpp"

namespace ductile::os::tcp_peer_test {
namespace {

sockaddr_in address(std::uint16_t port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    made.sin_port = htons(port);
    return made;
}

/// A connection of this machine to itself.
struct Connection {
    Fd client, server;
};

Connection connection() {
    const Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto at = address(0);
    socklen_t size = sizeof(at);
    EXPECT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listening.get(), 1), 0);
    EXPECT_EQ(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
    Connection made{Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), Fd()};
    EXPECT_EQ(::connect(made.client.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    made.server = Fd(::accept(listening.get(), nullptr, nullptr));
    return made;
}

TEST(TcpPeer, IsFoundInTheKernelsTable) {
    const std::string table =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
        "timeout "
        "inode\n"
        "   0: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        "
        "0 "
        "111 1 0 100 0 0 10 0\n"
        "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        "
        "0 "
        "222 1 0 20 4 30 10 -1\n"
        "   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 02:000A8C3B 00000000  1000        "
        "0 "
        "333 2 0 20 4 30 10 -1\n"
        "   3: 0100007F:C351 0100007F:1F90 04 00000000:00000000 00:00000000 00000000     0        "
        "0 "
        "0 2 0 20 4 30 10 -1\n";
    EXPECT_EQ(find_tcp_peer(table, address(0xC350), address(8080)), (TcpPeer{1000, 333}));
    EXPECT_EQ(find_tcp_peer(table, address(8080), address(0xC350)), (TcpPeer{0, 222}));
    EXPECT_EQ(find_tcp_peer(table, address(0xC351), address(8080)), std::nullopt) << "closed";
    EXPECT_EQ(find_tcp_peer(table, address(0xC352), address(8080)), std::nullopt);
    EXPECT_EQ(find_tcp_peer(table.substr(0, table.find("1000")), address(0xC350), address(8080)),
              std::nullopt);
    EXPECT_EQ(find_tcp_peer("", address(1), address(2)), std::nullopt);
}

TEST(TcpPeer, OfAConnection) {
    auto both = connection();
    const auto peer = tcp_peer_of(both.server.get());
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->uid, ::geteuid());
    EXPECT_EQ(holder_of(peer->inode, ::getpid()), ::getpid());
    const auto no_socket = make_pipe("the test");
    EXPECT_EQ(tcp_peer_of(no_socket.read.get()), std::nullopt);
    both.client.reset();
    EXPECT_EQ(tcp_peer_of(both.server.get()), std::nullopt) << "it has closed its socket";
}

TEST(TcpPeer, IsFoundAmongManyConnections) {
    std::vector<Connection> all;
    for (int i = 0; i < 400; ++i) all.push_back(connection());
    for (const auto& one : all)
        EXPECT_EQ(tcp_peer_of(one.server.get()).value_or(TcpPeer{}).uid, ::geteuid());
    EXPECT_NE(tcp_peer_of(all[0].server.get()), tcp_peer_of(all[1].server.get()));
}

TEST(TcpPeer, IsHeldByADescendant) {
    auto both = connection();
    const auto inode = tcp_peer_of(both.server.get()).value_or(TcpPeer{}).inode;
    auto wait = make_pipe("the test"), closed = make_pipe("the test");
    const pid_t child = ::fork();
    if (child == 0) {
        wait.write.reset();
        closed.read.reset();
        if (::fork() == 0) {
            closed.write.reset();
            char byte = 0;
            ::_exit(static_cast<int>(::read(wait.read.get(), &byte, 1)));
        }
        both.client.reset();
        closed.write.reset();
        ::waitpid(-1, nullptr, 0);
        ::_exit(0);
    }
    both.client.reset();
    wait.read.reset();
    closed.write.reset();
    char byte = 0;
    EXPECT_EQ(::read(closed.read.get(), &byte, 1), 0) << "until the child has closed its copy";
    const auto holder = holder_of(inode, ::getpid());
    ASSERT_TRUE(holder);
    EXPECT_NE(*holder, child);
    EXPECT_TRUE(is_descendant(*holder, child));
    EXPECT_TRUE(is_descendant(*holder, ::getpid()));
    EXPECT_FALSE(is_descendant(::getpid(), *holder));
    EXPECT_FALSE(is_descendant(child, child));
    wait.write.reset();
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(holder_of(inode, ::getpid()), std::nullopt);
}

}  // namespace
}  // namespace ductile::os::tcp_peer_test
