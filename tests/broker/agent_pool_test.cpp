// The agent pool. The test plays its agents and its resource manager.
#include "broker/agent_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "event_loop.hpp"
#include "fake_resource_manager.hpp"

namespace ductile::broker::agent_pool_test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr HostIndex host{0};

class AgentPoolTest : public ::testing::Test {
  protected:
    void open(AgentTimes times = {15s, 50ms, 10s}) {
        AgentEvents events;
        events.on_input_room = [](HostIndex) {};
        events.on_message = [this](HostIndex, const wire::FromAgent&) { log.push_back("message"); };
        events.on_up = [this](HostIndex) { log.push_back("up"); };
        events.on_lost = [this](HostIndex, const std::string& why) {
            log.push_back("lost: " + why.substr(0, why.find(" (")));
        };
        events.on_gone = [this](HostIndex) { log.push_back("gone"); };
        events.on_swept = [this](HostIndex) { log.push_back("swept"); };
        events.on_output = [this](HostIndex, const wire::Output& output) {
            log.push_back("output " + output.data);
        };
        events.on_start = [this] { return refusal; };
        events.on_unknown = [](HostIndex) { return false; };
        pool.emplace(io, "job-1", manager, times, std::move(events), std::nullopt, AgentSetup{});
    }
    /// The agent's end of a new connection.
    std::shared_ptr<wire::Channel> connect(int generation, bool stream = false) {
        std::shared_ptr<wire::Channel> channel;
        bool done = false;
        wire::connect_channel(io, {"127.0.0.1"}, pool->endpoint().port,
                              {"job-1", host, Generation{generation}, stream},
                              pool->endpoint().secret, 3s, [&](wire::ConnectResult result) {
                                  channel = std::move(result.channel);
                                  done = true;
                              });
        rms::run_until(io, [&] { return done; });
        if (!channel) throw Error("no connection");
        channel->on_message = [this](const wire::Message& message) { heard.push_back(message); };
        channel->on_closed = [this](const std::string&, wire::Ending) { ++closed; };
        channel->start();
        return channel;
    }
    std::shared_ptr<wire::Channel> come_up(int generation) {
        auto control = connect(generation);
        control->send(wire::FromAgent{hello()});
        EXPECT_TRUE(until("up"));
        return control;
    }
    static wire::AgentHello hello() {
        wire::AgentHello hello;
        hello.pid = 1;
        return hello;
    }
    bool until(const std::string& line) {
        return rms::run_until(io, [&] { return std::ranges::find(log, line) != log.end(); });
    }

    asio::io_context io;
    Words log;
    FakeManager manager{log};
    std::optional<std::string> refusal;
    std::vector<wire::Message> heard;
    int closed = 0;
    std::optional<AgentPool> pool;
};

TEST_F(AgentPoolTest, AnAgentComesUpSpeaksAndGoes) {
    open();
    pool->expect(host, "a", Generation{1}, true);
    EXPECT_FALSE(pool->is_up(host));
    auto control = come_up(1);
    EXPECT_TRUE(pool->is_up(host));
    auto stream = connect(1, true);
    wire::Output output;
    output.data = "text";
    stream->send(wire::FromStream{output});
    ASSERT_TRUE(until("output text"));
    control->send(wire::FromAgent{wire::AgentGoodbye{}});
    control->close();
    ASSERT_TRUE(rms::run_until(io, [&] { return !pool->is_up(host); }));
    EXPECT_TRUE(pool->has(host)) << "it may still write";
    stream->close();
    ASSERT_TRUE(until("gone"));
    EXPECT_EQ(log, (Words{"up", "output text", "gone"}));
    EXPECT_FALSE(pool->has(host));
}

TEST_F(AgentPoolTest, OneWhoseConnectionEndsIsLostAndItsHostIsSwept) {
    open();
    pool->expect(host, "a", Generation{1}, true);
    come_up(1)->close();
    ASSERT_TRUE(until("swept"));
    EXPECT_EQ(log,
              (Words{"up", "sweep a", "lost: the connection to its agent has ended", "swept"}));
}

TEST_F(AgentPoolTest, HeartbeatsAreSentAndASilentOneIsLost) {
    open({15s, 50ms, 1s});
    pool->expect(host, "a", Generation{1}, true);
    const auto control = come_up(1);
    ASSERT_TRUE(until("lost: its agent has been silent for 1 s"));
    EXPECT_GE(heard.size(), 2U);
    EXPECT_TRUE(rms::run_until(io, [&] { return closed == 1; }));
}

TEST_F(AgentPoolTest, ANewConnectionTakesThePlaceOfTheOneBefore) {
    open();
    pool->expect(host, "a", Generation{1}, true);
    const auto first = come_up(1);
    const auto second = connect(1);
    ASSERT_TRUE(rms::run_until(io, [&] { return closed == 1; }));
    second->send(wire::FromAgent{hello()});
    heard.clear();
    ASSERT_TRUE(rms::run_until(io, [&] { return !heard.empty(); }));
    EXPECT_EQ(log, Words{"up"}) << "once";
    EXPECT_TRUE(pool->is_up(host));
}

TEST_F(AgentPoolTest, NothingIsHeardOfOneThatWasDropped) {
    open();
    pool->expect(host, "a", Generation{1}, true);
    const auto control = come_up(1);
    control->send(wire::FromAgent{wire::AgentGoodbye{}});
    pool->drop(host);
    ASSERT_TRUE(until("swept"));
    EXPECT_TRUE(rms::run_until(io, [&] { return closed == 1; }));
    EXPECT_EQ(log, (Words{"up", "sweep a", "swept"}));
}

TEST_F(AgentPoolTest, ThoseThatHaveNotConnectedAreGivenUp) {
    open();
    pool->start(host, "a", {});
    pool->expect(HostIndex{1}, "b", Generation{2}, true);
    pool->give_up_on_absent("x");
    EXPECT_EQ(log, (Words{"start a", "lost: x", "lost: x"}));
    EXPECT_TRUE(pool->hosts().empty());
}

TEST_F(AgentPoolTest, OneThatMayNotBeStartedIsLostLater) {
    open();
    refusal = "the journal is full";
    pool->start(host, "a", {});
    EXPECT_TRUE(log.empty()) << "the caller is in the middle of starting others";
    ASSERT_TRUE(until("lost: its agent could not be started: the journal is full"));
}

TEST_F(AgentPoolTest, AnAgentOfAnEarlierGenerationIsToldToEnd) {
    open();
    pool->expect(host, "a", Generation{2}, true);
    const auto old = connect(1);
    ASSERT_TRUE(rms::run_until(io, [&] { return closed == 1; }));
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<wire::EndJob>(wire::decode<wire::ToAgent>(heard.front())));
    EXPECT_TRUE(pool->has(host));
}

TEST_F(AgentPoolTest, GenerationsGoOnWhereTheBrokerBeforeStopped) {
    open();
    pool->expect(host, "a", Generation{3}, true);
    pool->continue_from(7);
    pool->start(HostIndex{1}, "b", {});
    EXPECT_EQ(pool->generation(HostIndex{1}), Generation{8});
    EXPECT_EQ(pool->generations(), 8);
}

}  // namespace
}  // namespace ductile::broker::agent_pool_test
