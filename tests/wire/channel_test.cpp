// Channels over a real loopback connection: which peers are let in, which are not, and what a
// channel does when its peer misbehaves.
#include "wire/channel.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/ssl.hpp>
#include <asio/write.hpp>
#include <optional>

#include "../patience.hpp"
#include "wire/agent_messages.hpp"

namespace ductile::wire::channel_test {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

struct End {
    std::string why;
    Ending ending;
};

/// A server that knows one job, and one client channel to it.
class ChannelTest : public ::testing::Test {
  protected:
    void listen(ServerLimits limits = {}, const std::string& address = "127.0.0.1") {
        server = std::make_unique<ChannelServer>(
            io, address, 0,
            [this](const Identity& who) -> std::optional<Admission> {
                if (who.job != "job") return std::nullopt;
                return Admission{secret, who.generation.value < 2 ? "an old generation" : ""};
            },
            [this](std::shared_ptr<Channel> channel, const Identity& who) {
                identities.push_back(who);
                there = std::move(channel);
                there->on_message = [this](Message message) {
                    at_server.push_back(std::move(message));
                };
                there->on_closed = [this](const std::string& why, Ending ending) {
                    server_end = End{why, ending};
                };
                there->start();
            },
            limits);
    }
    ConnectResult connect(const Identity& who, const Secret& with, ChannelLimits limits = {},
                          const std::string& address = "127.0.0.1") {
        std::optional<ConnectResult> result;
        connect_channel(
            io, {address}, server->port(), who, with, 3s,
            [&](ConnectResult r) { result = std::move(r); }, limits);
        run_until([&] { return result.has_value(); });
        return result ? std::move(*result) : ConnectResult{};
    }
    /// As an agent does: it tries again when there was no answer.
    void join(ChannelLimits limits = {}) {
        auto result = connect(member, secret, limits);
        for (int again = 0; again < 5 && result.failure == ConnectFailure::unresponsive; ++again)
            result = connect(member, secret, limits);
        ASSERT_TRUE(result.channel) << result.why;
        here = std::move(result.channel);
        here->on_message = [this](Message message) { at_client.push_back(std::move(message)); };
        here->on_closed = [this](const std::string& why, Ending ending) {
            client_end = End{why, ending};
        };
        here->start();
        run_until([&] { return there != nullptr; });
        ASSERT_TRUE(there);
    }
    /// Patiently.
    bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit = 5s) {
        const auto end = std::chrono::steady_clock::now() + test::patient(limit);
        while (!done() && std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_for(5ms);
        }
        return done();
    }
    void run_for(std::chrono::milliseconds time) {
        io.restart();
        io.run_for(time);
    }
    tcp::socket raw() {
        tcp::socket socket(io);
        socket.connect(
            {asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(server->port())});
        return socket;
    }
    /// A genuine TLS hello. A test replays it, but cannot continue the handshake, because it lacks
    /// the keys.
    std::string overheard_hello() {
        tcp::acceptor ear(io, {asio::ip::make_address("127.0.0.1"), 0});
        std::optional<ConnectResult> result;
        connect_channel(io, {"127.0.0.1"}, ear.local_endpoint().port(), member, secret, 1s,
                        [&](ConnectResult r) { result = std::move(r); });
        tcp::socket heard(io);
        ear.async_accept(heard, [](const asio::error_code&) {});
        EXPECT_TRUE(run_until([&] { return heard.is_open() && heard.available() > 100; }));
        std::string hello(heard.available(), '\0');
        asio::read(heard, asio::buffer(hello));
        EXPECT_TRUE(run_until([&] { return result.has_value(); }));
        return hello;
    }
    /// True when the server closes this connection within the limit.
    bool is_dropped(tcp::socket& socket, std::chrono::milliseconds limit = 5s) {
        bool closed = false;
        std::array<char, 4096> buffer{};
        std::function<void()> read = [&] {
            socket.async_read_some(asio::buffer(buffer),
                                   [&](const asio::error_code& error, std::size_t) {
                                       if (error)
                                           closed = true;
                                       else
                                           read();
                                   });
        };
        read();
        return run_until([&] { return closed; }, limit);
    }

    asio::io_context io;
    Secret secret = make_secret();
    Identity member{"job", core::HostIndex{1}, core::Generation{2}, false};
    std::unique_ptr<ChannelServer> server;
    std::vector<Identity> identities;
    std::shared_ptr<Channel> here, there;
    std::vector<Message> at_client, at_server;
    std::optional<End> client_end, server_end;
};

Message note(const std::string& text) {
    return encode(FromAgent{Notice{text}});
}
std::string text_of(const Message& message) {
    return message.content().at("text");
}

TEST_F(ChannelTest, RightSecretIsLetInAndMessagesPassBothWays) {
    listen();
    join();
    ASSERT_EQ(identities.size(), 1u);
    EXPECT_EQ(identities[0], member);
    EXPECT_EQ(here->peer_address(), "127.0.0.1");
    for (int i = 0; i < 100; ++i) here->send(note(std::to_string(i)));
    there->send(note("back"));
    ASSERT_TRUE(run_until([&] { return at_server.size() == 100 && at_client.size() == 1; }));
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(text_of(at_server[i]), std::to_string(i));
    EXPECT_EQ(text_of(at_client[0]), "back");
}

TEST_F(ChannelTest, UnauthenticatedPeersAreRefused) {
    listen();
    const Identity other_job{"other", core::HostIndex{1}, core::Generation{2}, false};
    EXPECT_EQ(connect(member, make_secret()).failure, ConnectFailure::unauthenticated);
    EXPECT_EQ(connect(other_job, secret).failure, ConnectFailure::unauthenticated);
    EXPECT_TRUE(identities.empty());
    join();  // the server still lets others in
}

TEST_F(ChannelTest, RefusedOneIsToldSoOverTheAuthenticatedConnection) {
    listen();
    auto result = connect({"job", core::HostIndex{1}, core::Generation{1}, false}, secret);
    ASSERT_TRUE(result.channel) << result.why;
    result.channel->on_message = [this](Message message) {
        at_client.push_back(std::move(message));
    };
    result.channel->on_closed = [this](const std::string& why, Ending e) {
        client_end = End{why, e};
    };
    result.channel->start();
    ASSERT_TRUE(run_until([&] { return client_end.has_value(); }));
    ASSERT_EQ(at_client.size(), 1u);
    EXPECT_EQ(std::get<EndJob>(decode<ToAgent>(at_client[0])).why, "an old generation");
    EXPECT_TRUE(identities.empty());
}

TEST_F(ChannelTest, GarbageIsDropped) {
    listen();
    for (const std::string& garbage :
         {std::string("GET / HTTP/1.0\r\n\r\n"), std::string(100'000, '\xff'),
          std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, 'x')}) {
        auto socket = raw();
        asio::error_code ignored;
        asio::write(socket, asio::buffer(garbage), ignored);
        EXPECT_TRUE(is_dropped(socket)) << garbage.substr(0, 8);
    }
    join();
}

/// A plain OpenSSL client without our secret. Returns whether it gets in.
bool plain_tls_gets_in(asio::io_context& io, tcp::socket socket, int version,
                       const std::function<bool(const std::function<bool()>&)>& run_until) {
    static_cast<void>(io);
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), version);
    SSL_CTX_set_max_proto_version(context.native_handle(), version);
    SSL_CTX_set_verify(context.native_handle(), SSL_VERIFY_NONE, nullptr);
    asio::ssl::stream<tcp::socket> stream(std::move(socket), context);
    std::optional<asio::error_code> outcome;
    stream.async_handshake(asio::ssl::stream_base::client,
                           [&](const asio::error_code& error) { outcome = error; });
    EXPECT_TRUE(run_until([&] { return outcome.has_value(); }));
    return outcome && !*outcome;
}

TEST_F(ChannelTest, TlsWithoutTheSecretIsNotLetIn) {
    listen();
    const auto runner = [this](const std::function<bool()>& done) { return run_until(done); };
    EXPECT_FALSE(plain_tls_gets_in(io, raw(), TLS1_2_VERSION, runner));
    EXPECT_FALSE(plain_tls_gets_in(io, raw(), TLS1_3_VERSION, runner));
    EXPECT_TRUE(identities.empty());
    join();
}

TEST_F(ChannelTest, ServerWithACertificateIsNoBroker) {
    // A client that offers our secret to a server that answers with a certificate instead.
    asio::ssl::context context(asio::ssl::context::tls_server);
    EVP_PKEY* key = EVP_RSA_gen(2048);
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    SSL_CTX_use_certificate(context.native_handle(), certificate);
    SSL_CTX_use_PrivateKey(context.native_handle(), key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
    std::optional<asio::ssl::stream<tcp::socket>> impostor;
    acceptor.async_accept([&](const asio::error_code& error, tcp::socket socket) {
        if (error) return;
        impostor.emplace(std::move(socket), context);
        impostor->async_handshake(asio::ssl::stream_base::server, [](const asio::error_code&) {});
    });
    std::optional<ConnectResult> result;
    connect_channel(io, {"127.0.0.1"}, acceptor.local_endpoint().port(), member, secret, 3s,
                    [&](ConnectResult r) { result = std::move(r); });
    ASSERT_TRUE(run_until([&] { return result.has_value(); }));
    EXPECT_FALSE(result->channel);
    EXPECT_EQ(result->failure, ConnectFailure::unauthenticated);
}

TEST_F(ChannelTest, WhoSaysNothingIsDroppedAtItsDeadline) {
    ServerLimits limits;
    limits.hello = 200ms;
    listen(limits);
    auto silent = raw();
    EXPECT_TRUE(is_dropped(silent, 2s));
    auto halting = raw();
    asio::write(halting, asio::buffer("\x16\x03\x01\x01\x00\x01", 6));
    EXPECT_TRUE(is_dropped(halting, 2s));
}

TEST_F(ChannelTest, WhatIsNoTlsIsDroppedAtOnce) {
    ServerLimits limits;
    limits.hello = 60s;
    listen(limits);
    for (const std::string text : {"GET / HTTP/1.0\r\n\r\n", "\x16\x03\x01\xff\xff garbage"}) {
        auto unauthenticated = raw();
        asio::write(unauthenticated, asio::buffer(text));
        EXPECT_TRUE(is_dropped(unauthenticated, 2s)) << text;
    }
}

TEST_F(ChannelTest, HandshakeThatStopsHalfwayEndsAtItsDeadline) {
    ServerLimits limits;
    limits.handshake = 2s;  // enough for one that does not stop, also where the machine stalls
    limits.half_open = 1;
    listen(limits);
    const auto hello = overheard_hello();
    auto parrot = raw();
    asio::write(parrot, asio::buffer(hello));
    EXPECT_TRUE(is_dropped(parrot));
    join();
    EXPECT_EQ(identities.size(), 1u);
}

TEST_F(ChannelTest, ManyHandshakesThatStopHalfwayKeepNobodyOut) {
    ServerLimits limits;
    limits.handshake = 60s;
    limits.half_open = 1;
    listen(limits);
    const auto hello = overheard_hello();
    // One after the other they would take longer than join() tries.
    std::vector<tcp::socket> parrots;
    for (int i = 0; i < 100; ++i) {
        parrots.push_back(raw());
        asio::write(parrots.back(), asio::buffer(hello));
    }
    run_for(50ms);
    join();  // overtakes connections that wait; a slow one is closed
    EXPECT_EQ(identities.size(), 1u);
}

TEST_F(ChannelTest, FloodOfSilentConnectionsKeepsNobodyOut) {
    ServerLimits limits;
    limits.quiet = 16;
    limits.hello = 60s;
    listen(limits);
    std::vector<tcp::socket> idle;
    for (int i = 0; i < 100; ++i) idle.push_back(raw());
    run_for(100ms);
    EXPECT_TRUE(is_dropped(idle.front(), 2s));
    join();
}

TEST_F(ChannelTest, PeerThatSaysNothingAfterTheHandshakeIsClosed) {
    ServerLimits limits;
    limits.channel.first_message = 200ms;
    listen(limits);
    join();
    ASSERT_TRUE(run_until([&] { return server_end.has_value(); }, 2s));
    EXPECT_EQ(server_end->ending, Ending::failed);
    EXPECT_EQ(server_end->why, "it said nothing in time");
}

TEST_F(ChannelTest, HugeFrameClosesTheChannel) {
    listen();
    join();
    EXPECT_THROW(here->send(note(std::string(limits::frame_bytes, 'x'))), Error);
    EXPECT_TRUE(here->open());
    // The largest that may be sent arrives.
    here->send(note(std::string(limits::frame_bytes - 100, 'x')));
    ASSERT_TRUE(run_until([&] { return at_server.size() == 1; }));
    there->on_message = [](const Message& message) {
        (void)decode<ToAgent>(message);
    };  // throws: wrong family
    here->send(note("x"));
    ASSERT_TRUE(run_until([&] { return server_end.has_value(); }));
    EXPECT_EQ(server_end->ending, Ending::failed);
    ASSERT_TRUE(run_until([&] { return client_end.has_value(); }));
    EXPECT_EQ(client_end->ending, Ending::died);
}

TEST_F(ChannelTest, FullQueueClosesTheChannel) {
    listen();
    join();
    there->pause_reading();
    for (int i = 0; i < 40 && here->open(); ++i) {
        here->send(note(std::string(1 << 20, 'x')));
        run_for(5ms);
    }
    ASSERT_TRUE(run_until([&] { return client_end.has_value(); }));
    EXPECT_EQ(client_end->ending, Ending::failed);
    EXPECT_NE(client_end->why.find("reads too slowly"), std::string::npos);
}

TEST_F(ChannelTest, SlowReaderIsFeltAndNothingIsLost) {
    listen();
    join();
    int sent = 0;
    const auto fill = [&] {
        while (sent < 500 && here->queued_bytes() < (1 << 20))
            here->send(note(std::to_string(sent++) + std::string(100'000, 'x')));
    };
    here->on_drained = fill;
    there->pause_reading();
    fill();
    run_for(500ms);
    EXPECT_LT(sent, 400);
    EXPECT_LE(at_server.size(), 2u);
    there->resume_reading();
    ASSERT_TRUE(run_until([&] { return at_server.size() == 500; }, 20s));
    for (std::size_t i = 0; i < 500; ++i)
        EXPECT_TRUE(text_of(at_server[i]).starts_with(std::to_string(i) + "x"));
}

TEST_F(ChannelTest, CloseSendsWhatIsQueuedAndSaysGoodbye) {
    listen();
    join();
    for (int i = 0; i < 50; ++i) here->send(note(std::string(100'000, 'x')));
    here->close();
    here->send(note("too late"));
    ASSERT_TRUE(run_until([&] { return server_end.has_value() && client_end.has_value(); }));
    EXPECT_EQ(at_server.size(), 50u);
    EXPECT_EQ(server_end->ending, Ending::goodbye);
    EXPECT_EQ(client_end->ending, Ending::ours);
}

// A close with unread data makes TCP send a reset. The reset must not destroy what was sent last.
TEST_F(ChannelTest, CloseInTheMiddleOfWhatThePeerSendsLosesNothing) {
    listen();
    for (const auto delay : {0ms, 5ms, 50ms, 400ms}) {
        join();
        here->pause_reading();
        for (int i = 0; i < 10; ++i) there->send(note(std::string(1 << 20, 'x')));
        run_for(20ms);
        there->pause_reading();
        for (int i = 0; i < 10; ++i) here->send(note(std::string(100'000, 'y')));
        here->send(note("last"));
        here->close();
        run_for(delay);
        there->resume_reading();
        ASSERT_TRUE(run_until([&] { return server_end.has_value() && client_end.has_value(); }));
        ASSERT_EQ(at_server.size(), 11u) << server_end->why;
        EXPECT_EQ(text_of(at_server.back()), "last");
        EXPECT_EQ(server_end->ending, Ending::goodbye);
        EXPECT_EQ(client_end->ending, Ending::ours);
        at_server.clear();
        server_end.reset();
        client_end.reset();
        there.reset();
    }
}

// A short last message is sent immediately, when most of the data of the peer is still to come.
TEST_F(ChannelTest, CloseAtTheStartOfWhatThePeerSendsLosesNothing) {
    listen();
    for (const std::size_t heard : {1u, 2u, 5u, 20u}) {
        join();
        here->on_message = [&](const Message& message) {
            at_client.push_back(message);
            if (at_client.size() != heard) return;
            asio::post(io, [&] {  // between two reads
                here->send(note("last"));
                here->close();
            });
        };
        there->pause_reading();
        for (int i = 0; i < 100; ++i) there->send(note(std::string(100'000, 'x')));
        run_for(100ms);
        EXPECT_FALSE(server_end.has_value()) << server_end->why;
        there->resume_reading();
        ASSERT_TRUE(run_until([&] { return server_end.has_value() && client_end.has_value(); }));
        ASSERT_EQ(at_server.size(), 1u) << server_end->why;
        EXPECT_EQ(server_end->ending, Ending::goodbye);
        EXPECT_EQ(client_end->ending, Ending::ours);
        at_server.clear();
        at_client.clear();
        server_end.reset();
        client_end.reset();
        there.reset();
    }
}

TEST_F(ChannelTest, CloseTowardsAPeerThatDoesNotReadEndsAtItsDeadline) {
    listen();
    ChannelLimits limits;
    limits.flush = 300ms;
    join(limits);
    there->pause_reading();
    for (int i = 0; i < 12; ++i) here->send(note(std::string(1 << 20, 'x')));
    here->close();
    ASSERT_TRUE(run_until([&] { return client_end.has_value(); }, 3s));
    EXPECT_EQ(client_end->ending, Ending::ours);
}

TEST_F(ChannelTest, DeathOfThePeerIsNotAGoodbye) {
    listen();
    join();
    here->send(note("alive"));
    ASSERT_TRUE(run_until([&] { return at_server.size() == 1; }));
    here->fail("the socket closes as if the process were killed");
    ASSERT_TRUE(run_until([&] { return server_end.has_value(); }));
    EXPECT_EQ(server_end->ending, Ending::died);
}

TEST_F(ChannelTest, WhyAConnectFailed) {
    listen();
    const auto failure_of = [this](const std::vector<std::string>& addresses, int port) {
        std::optional<ConnectResult> result;
        connect_channel(io, addresses, port, member, secret, 500ms,
                        [&](ConnectResult r) { result = std::move(r); });
        run_until([&] { return result.has_value(); });
        return result ? result->failure : ConnectFailure::none;
    };
    tcp::acceptor unresponsive(
        io, {asio::ip::make_address("127.0.0.1"), 0});  // accepts in the kernel only
    int closed = 0;
    {
        const tcp::acceptor gone(io, {asio::ip::make_address("127.0.0.1"), 0});
        closed = gone.local_endpoint().port();
    }
    EXPECT_EQ(failure_of({"127.0.0.1"}, closed), ConnectFailure::refused);
    EXPECT_EQ(failure_of({"127.0.0.1"}, unresponsive.local_endpoint().port()),
              ConnectFailure::unresponsive);
    EXPECT_EQ(failure_of({"no-such-host.invalid"}, closed), ConnectFailure::unreachable);
    EXPECT_EQ(failure_of({}, closed), ConnectFailure::unreachable);
    // The last address works although the others do not.
    const tcp::acceptor other(
        io, {asio::ip::make_address("127.0.0.3"), static_cast<unsigned short>(server->port())});
    EXPECT_EQ(failure_of({"127.0.0.2", "127.0.0.3", "127.0.0.1"}, server->port()),
              ConnectFailure::none);
}

TEST_F(ChannelTest, ASilentAddressIsTriedAgainAsTheLastOne) {
    tcp::acceptor stopped(io, {asio::ip::make_address("127.0.0.1"), 0});  // as a stopped broker
    std::vector<tcp::socket> accepted;
    std::optional<ConnectResult> result;
    const std::function<void()> accept = [&] {
        stopped.async_accept([&](const asio::error_code& error, tcp::socket socket) {
            if (error) return;
            accepted.push_back(std::move(socket));
            accept();
        });
    };
    accept();
    connect_channel(io, {"127.0.0.1", "127.0.0.2"}, stopped.local_endpoint().port(), member, secret,
                    60s, [&](ConnectResult r) { result = std::move(r); });
    ASSERT_TRUE(run_until([&] { return accepted.size() == 2; }));
    EXPECT_FALSE(result);
    accepted.clear();
    ASSERT_TRUE(run_until([&] { return result.has_value(); }));
    EXPECT_NE(result->failure, ConnectFailure::none);
    stopped.close();
}

TEST_F(ChannelTest, AllAddressesAreThoseOfBothFamilies) {
    listen({}, "::");
    join();
    EXPECT_EQ(there->peer_address(), "127.0.0.1");
    there.reset();
    tcp::acceptor six(io);
    asio::error_code without;
    six.open(tcp::v6(), without);
    if (!without) six.bind({asio::ip::address_v6::loopback(), 0}, without);
    if (without) GTEST_SKIP() << "this machine has no IPv6: " << without.message();
    const auto result = connect(member, secret, {}, "::1");
    ASSERT_TRUE(result.channel) << result.why;
    ASSERT_TRUE(run_until([&] { return there != nullptr; }));
    EXPECT_EQ(there->peer_address(), "::1");
}

TEST_F(ChannelTest, PortThatIsTakenIsSaid) {
    listen();
    try {
        const ChannelServer second(
            io, "127.0.0.1", server->port(), [](const Identity&) { return std::nullopt; },
            [](const std::shared_ptr<Channel>&, const Identity&) {});
        ADD_FAILURE() << "two servers on one port";
    } catch (const SystemError& error) {
        EXPECT_NE(std::string(error.what()).find(std::to_string(server->port())),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace ductile::wire::channel_test
