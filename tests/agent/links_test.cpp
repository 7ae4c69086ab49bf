// The connections of an agent, with servers in the same process at their other ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "../patience.hpp"
#include "agent/broker_link.hpp"
#include "agent/peer_links.hpp"

namespace ductile::agent::links_test {
namespace {

using namespace std::chrono_literals;

struct Loop {
    asio::io_context io;

    bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit = 10s) {
        const auto until = std::chrono::steady_clock::now() + test::patient(limit);
        io.restart();
        while (!done() && std::chrono::steady_clock::now() < until) io.run_one_for(5ms);
        return done();
    }
    void run_for(std::chrono::milliseconds time) {
        io.restart();
        io.run_for(time);
    }
};

Bootstrap bootstrap_of(int host, const wire::Secret& secret) {
    Bootstrap bootstrap;
    bootstrap.identity = {"test", core::HostIndex{host}, core::Generation{1}, false};
    bootstrap.secret = secret;
    bootstrap.addresses = {"127.0.0.1"};
    bootstrap.logical = true;
    return bootstrap;
}

/// The broker's end of the connections.
struct FakeServer {
    std::shared_ptr<wire::Channel> channel;
    std::vector<wire::FromAgent> heard;
    std::unique_ptr<wire::ChannelServer> server;

    FakeServer(asio::io_context& io, const wire::Secret& secret, int port = 0) {
        server = std::make_unique<wire::ChannelServer>(
            io, "127.0.0.1", port,
            [secret](const wire::Identity&) {
                return wire::Admission{secret, ""};
            },
            [this](std::shared_ptr<wire::Channel> accepted, const wire::Identity&) {
                channel = std::move(accepted);
                channel->on_message = [this](const wire::Message& encoded) {
                    heard.push_back(wire::decode<wire::FromAgent>(encoded));
                };
                channel->on_closed = [this](const std::string&, wire::Ending) { channel.reset(); };
                channel->start();
            });
    }
    template <class Message>
    [[nodiscard]] int count() const {
        return static_cast<int>(std::ranges::count_if(
            heard, [](const auto& one) { return std::holds_alternative<Message>(one); }));
    }
};

struct BrokerBench : Loop {
    wire::Secret secret = wire::make_secret();
    std::unique_ptr<FakeServer> broker = std::make_unique<FakeServer>(io, secret);
    std::vector<BrokerState> states;
    std::vector<wire::ToAgent> orders;
    std::unique_ptr<BrokerLink> link;

    BrokerBench() {
        auto bootstrap = bootstrap_of(0, secret);
        bootstrap.port = broker->server->port();
        wire::AgentHello hello;
        hello.job = "test";
        hello.pid = 1;
        link = std::make_unique<BrokerLink>(
            io, bootstrap, hello,
            BrokerLink::Events{[this](const wire::ToAgent& order) { orders.push_back(order); },
                               [this](BrokerState state) { states.push_back(state); }, [] {}, [] {},
                               [](const std::string&) {}});
    }
    bool is(BrokerState state) {
        return run_until([&] { return link->state() == state; });
    }
};

TEST(BrokerLink, SaysNothingWhileTheJobIsStopped) {
    BrokerBench bench;
    bench.link->set_heartbeat({20ms, 1s});
    bench.link->start();
    const auto beats = [&bench] { return bench.broker->count<wire::Heartbeat>(); };
    ASSERT_TRUE(bench.run_until([&] { return beats() > 2; }));
    os::JobClock::hold();
    bench.run_for(100ms);
    const auto before = beats();
    bench.run_for(1300ms);  // longer than the limit
    EXPECT_EQ(beats(), before);
    EXPECT_EQ(bench.link->state(), BrokerState::connected) << "the silence of the broker is known";
    os::JobClock::release();
    EXPECT_TRUE(bench.run_until([&] { return beats() > before; }));
}

TEST(BrokerLink, WhatIsSaidBeforeTheBrokerIsThereComesAfterTheHello) {
    BrokerBench bench;
    bench.link->send(wire::Notice{"first"});
    bench.link->send(wire::Notice{"second"});
    bench.link->start();
    ASSERT_TRUE(bench.run_until([&] { return bench.broker->count<wire::Notice>() == 2; }));
    const auto& heard = bench.broker->heard;
    EXPECT_TRUE(std::holds_alternative<wire::AgentHello>(heard.at(0)));
    EXPECT_EQ(std::get<wire::Notice>(heard.at(1)).text, "first");
    EXPECT_EQ(std::get<wire::Notice>(heard.at(2)).text, "second");
    bench.broker->channel->send(wire::ToAgent{wire::FinishAgent{}});
    ASSERT_TRUE(bench.run_until([&] { return !bench.orders.empty(); }));
    EXPECT_EQ(bench.states, std::vector{BrokerState::connected});
}

TEST(BrokerLink, ABrokerThatDiesIsGoneAndItsSuccessorHearsWhatWasSaidMeanwhile) {
    BrokerBench bench;
    bench.link->start();
    ASSERT_TRUE(bench.is(BrokerState::connected));
    const int port = bench.broker->server->port();
    ASSERT_TRUE(bench.run_until([&] { return bench.broker->channel != nullptr; }));
    bench.broker->server->close();
    bench.broker->channel->fail("it dies");
    ASSERT_TRUE(bench.is(BrokerState::gone));
    bench.link->send(wire::Notice{"meanwhile"});
    bench.broker = std::make_unique<FakeServer>(bench.io, bench.secret, port);
    ASSERT_TRUE(bench.is(BrokerState::connected));
    ASSERT_TRUE(bench.run_until([&] { return bench.broker->count<wire::Notice>() == 1; }));
    EXPECT_EQ(bench.broker->count<wire::AgentHello>(), 1);
}

// The kernel accepts the connections of a process that is stopped. When it continues, an attempt
// must wait there: within a heartbeat limit, a new one would perhaps come too late.
TEST(BrokerLink, AnAttemptWaitsForABrokerThatIsStopped) {
    BrokerBench bench;
    bench.link->start();
    ASSERT_TRUE(bench.is(BrokerState::connected));
    ASSERT_TRUE(bench.run_until([&] { return bench.broker->channel != nullptr; }));
    const auto here = asio::ip::make_address("127.0.0.1");
    const int port = bench.broker->server->port();
    bench.broker->server->close();
    asio::ip::tcp::acceptor stopped(bench.io, {here, static_cast<unsigned short>(port)});
    bench.broker->channel->fail("the network was gone for a moment");
    ASSERT_TRUE(bench.is(BrokerState::unresponsive));
    EXPECT_TRUE(bench.link->is_unanswered());
    bench.run_for(1s + 2500ms);  // the pause, and longer than the first attempt took
    auto first = stopped.accept(), second = stopped.accept();
    stopped.non_blocking(true);
    asio::error_code none_left;
    stopped.accept(none_left);
    EXPECT_EQ(none_left, asio::error::would_block) << "two attempts";
    const auto is_open = [](asio::ip::tcp::socket& socket) {
        std::array<char, 4096> hello{};
        asio::error_code end;
        socket.read_some(asio::buffer(hello), end);
        socket.non_blocking(true);
        socket.read_some(asio::buffer(hello), end);
        return end == asio::error::would_block;
    };
    EXPECT_FALSE(is_open(first));
    EXPECT_TRUE(is_open(second));
}

TEST(BrokerLink, ItsLastWordIsAGoodbye) {
    BrokerBench bench;
    bench.link->start();
    ASSERT_TRUE(bench.is(BrokerState::connected));
    bool done = false;
    bench.link->finish([&] { done = true; });
    ASSERT_TRUE(bench.run_until([&] { return done; }));
    EXPECT_EQ(bench.broker->count<wire::AgentGoodbye>(), 1);
    bench.link->send(wire::Notice{"to nobody"});
}

TEST(BrokerLink, WithoutABrokerItIsDoneAtOnce) {
    BrokerBench bench;
    bench.broker->server->close();
    bench.link->start();
    bool done = false;
    bench.link->finish([&] { done = true; });
    EXPECT_TRUE(bench.run_until([&] { return done; }, 1s));
    EXPECT_TRUE(bench.states.empty());
}

struct PeerBench : Loop {
    struct Host {
        std::unique_ptr<PeerLinks> links;
        std::vector<std::string> ends;
    };
    std::vector<Host> hosts;

    explicit PeerBench(int size) : hosts(static_cast<std::size_t>(size)) {
        const auto secret = wire::make_secret();
        for (int i = 0; i < size; ++i) {
            auto& host = hosts[static_cast<std::size_t>(i)];
            host.links = std::make_unique<PeerLinks>(
                io, bootstrap_of(i, secret),
                PeerLinks::Events{[] {},
                                  [&host](const std::string& why) { host.ends.push_back(why); },
                                  [](const std::string&) {}});
            host.links->set_heartbeat({20ms, 10s});
        }
        wire::Coordinator coordinator;
        coordinator.addresses = {"127.0.0.1"};
        coordinator.port = hosts[0].links->port();
        for (int i = 0; i < size; ++i) coordinator.members.push_back(core::HostIndex{i});
        for (auto& host : hosts) host.links->set_coordinator(coordinator);
    }
    void lose_broker() {
        for (auto& host : hosts) host.links->set_brokerless(true);
    }
    [[nodiscard]] bool is_complete() const {
        return std::ranges::all_of(hosts,
                                   [](const Host& one) { return one.links->are_complete(); });
    }
    bool becomes_complete() {
        return run_until([&] { return is_complete(); });
    }
    [[nodiscard]] const PeerMonitor& monitor(std::size_t host) const {
        return hosts[host].links->monitor();
    }
};

TEST(PeerLinks, AgentsConnectOnlyOnceTheBrokerIsLost) {
    PeerBench bench(3);
    bench.run_for(100ms);
    for (const auto& host : bench.hosts) EXPECT_FALSE(host.links->are_complete());
    bench.lose_broker();
    EXPECT_TRUE(bench.becomes_complete());
    for (auto& host : bench.hosts) host.links->set_brokerless(false);
    EXPECT_TRUE(bench.run_until([&] { return !bench.hosts[0].links->are_complete(); }));
    bench.lose_broker();
    EXPECT_TRUE(bench.becomes_complete()) << "once more";
}

TEST(PeerLinks, AHostThatEndsInOrderIsNotMissedAndOneThatVanishesIs) {
    PeerBench bench(3);
    bench.lose_broker();
    ASSERT_TRUE(bench.becomes_complete());
    bench.hosts[1].links->report_end();
    bench.hosts[1].links->close();
    bench.run_for(100ms);
    EXPECT_TRUE(bench.hosts[0].links->are_complete());
    bench.hosts[2].links->close();
    EXPECT_TRUE(bench.run_until([&] { return !bench.hosts[0].links->are_complete(); }));
    EXPECT_FALSE(bench.monitor(0).others_ended());
}

TEST(PeerLinks, WhatWasReportedBeforeTheConnectionIsHeard) {
    PeerBench bench(3);
    bench.hosts[1].links->report_failure({});
    bench.hosts[2].links->report_end();
    bench.lose_broker();
    EXPECT_TRUE(bench.run_until([&] { return bench.monitor(0).has_failed(); }));
    bench.hosts[1].links->report_end();
    EXPECT_TRUE(bench.run_until([&] { return bench.monitor(0).others_ended(); }));
}

TEST(PeerLinks, TheCoordinatorDismissesInOrderOrWithAReason) {
    PeerBench bench(3);
    bench.lose_broker();
    ASSERT_TRUE(bench.becomes_complete());
    bench.hosts[0].links->dismiss("it is over");
    const auto told = [&](std::size_t host) { return !bench.hosts[host].ends.empty(); };
    ASSERT_TRUE(bench.run_until([&] { return told(1) && told(2); }));
    EXPECT_EQ(bench.hosts[2].ends, std::vector<std::string>{"it is over"});
    EXPECT_FALSE(bench.monitor(1).others_ended());
    bench.hosts[0].links->dismiss("");
    EXPECT_TRUE(bench.run_until(
        [&] { return bench.monitor(1).others_ended() && bench.monitor(2).others_ended(); }));
    EXPECT_EQ(bench.hosts[1].ends.size(), 1u);
}

}  // namespace
}  // namespace ductile::agent::links_test
