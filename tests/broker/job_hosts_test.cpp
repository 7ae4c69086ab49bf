// JobHosts: the host table with an agent pool and a resource manager. The test plays the agents and
// the resource manager.
#include "broker/job_hosts.hpp"

#include <gtest/gtest.h>

#include "event_loop.hpp"
#include "fake_resource_manager.hpp"
#include "rms/self.hpp"

namespace ductile::broker::job_hosts_test {
namespace {

using core::HostIndex;
using core::TransactionId;
using namespace std::chrono_literals;
using Words = std::vector<std::string>;

class JobHostsTest : public ::testing::Test {
  protected:
    JobHostsTest() {
        auto fake = std::make_unique<FakeManager>(log);
        manager = fake.get();
        AgentEvents events;
        events.on_input_room = [](HostIndex) {};
        events.on_message = [](HostIndex, const wire::FromAgent&) {};
        events.on_up = events.on_gone = events.on_swept = [](HostIndex) {};
        events.on_lost = [this](HostIndex host, const std::string& why) {
            log.push_back("lost " + hosts->name(host) + ": " + why);
        };
        events.on_output = [](HostIndex, const wire::Output&) {};
        events.on_start = []() -> std::optional<std::string> { return std::nullopt; };
        events.on_unknown = [](HostIndex) { return false; };
        HostCallbacks callbacks;
        callbacks.on_ready = [this](const HostsReady& ready) {
            log.push_back("ready: " + std::to_string(ready.hosts.size()));
        };
        callbacks.on_denied = [this](const HostsDenied& denied) {
            log.push_back("denied: " + denied.reason);
        };
        callbacks.on_must_go = [this](const HostMustGo& must) {
            log.push_back("must go " + hosts->name(must.host));
        };
        callbacks.notify_user = [](const std::string&) {};
        callbacks.journal = [this](const std::string&) {
            log.push_back("journal");
            return full;
        };
        hosts.emplace(io, "job-1", AgentSetup{}, std::move(fake), std::move(events),
                      std::move(callbacks), std::nullopt);
    }
    /// What has happened since the last call.
    Words said() { return std::exchange(log, {}); }
    std::optional<std::string> ask(int count, std::chrono::milliseconds within = 60s) {
        return hosts->ask({TransactionId{1}, {count, {}}, std::nullopt, wall_time() + within});
    }
    void grant(Words names) {
        rms::Granted granted{rms::RequestId{1}, {}, true};
        for (auto& name : names) granted.hosts.push_back({std::move(name), 1});
        manager->answer(granted);
    }
    bool until(const std::string& line) {
        return rms::run_until(io, [&] { return std::ranges::find(log, line) != log.end(); });
    }

    /// An agent whose machine has this name says hello.
    std::shared_ptr<wire::Channel> come_up(HostIndex host, const std::string& machine) {
        auto& agents = hosts->agents();
        agents.expect(host, hosts->name(host), wire::Generation{1}, true);
        std::shared_ptr<wire::Channel> channel;
        wire::connect_channel(io, {"127.0.0.1"}, agents.endpoint().port,
                              {"job-1", host, wire::Generation{1}, false}, agents.endpoint().secret,
                              3s, [&](wire::ConnectResult result) {
                                  channel = std::move(result.channel);
                                  if (!channel) return;
                                  channel->on_message = [](const wire::Message&) {};
                                  channel->on_closed = [](const std::string&, wire::Ending) {};
                                  channel->start();
                                  wire::AgentHello hello;
                                  hello.job = "job-1";
                                  hello.host = host;
                                  hello.generation = wire::Generation{1};
                                  hello.pid = 1;
                                  hello.host_name = rms::host_name();
                                  hello.machine = machine;
                                  channel->send(wire::FromAgent{hello});
                              });
        rms::run_until(io, [&] { return agents.hello(host) != nullptr; });
        return channel;
    }

    asio::io_context io;
    Words log;
    std::optional<std::string> full;  ///< why nothing can be journaled
    FakeManager* manager = nullptr;
    std::optional<JobHosts> hosts;
};

TEST_F(JobHostsTest, WhatIsAskedForIsJournaledFirst) {
    EXPECT_FALSE(ask(2));
    EXPECT_EQ(said(), (Words{"journal", "request 1: 2"}));
    grant({"a", "b"});
    EXPECT_EQ(said(), (Words{"journal", "ready: 2"}));
}

TEST_F(JobHostsTest, WhatCannotBeJournaledIsNotAskedFor) {
    full = "the disk is full";
    EXPECT_EQ(ask(2), full);
    EXPECT_EQ(said(), Words{"journal"});
    EXPECT_TRUE(hosts->table().state().requests.empty()) << "nobody would ever answer it";
}

TEST_F(JobHostsTest, ADeadlineEndsTheWaiting) {
    EXPECT_FALSE(ask(2, 30ms));
    said();
    ASSERT_TRUE(until("cancel 1"));
    EXPECT_EQ(said(), (Words{"journal", "cancel 1", "denied: no host was granted in time"}));
}

TEST_F(JobHostsTest, IdleHostsAreGivenBackUnlessTheyAreNeeded) {
    EXPECT_FALSE(ask(2));
    grant({"a", "b"});
    said();
    hosts->give_back_idle([](HostIndex host) { return host.value == 0; });
    EXPECT_EQ(said(), (Words{"journal", "release b"}));
    EXPECT_EQ(hosts->table().allocation().total_slots(), 1);
}

TEST_F(JobHostsTest, AnAgentThatDiesAtItsStartLosesTheHost) {
    manager->agent = {"/bin/sh", "-c", "exit 3"};
    EXPECT_FALSE(ask(1));
    grant({"a"});
    said();
    hosts->start(HostIndex{0}, {});
    ASSERT_TRUE(until("release a")) << "once it is swept";
    EXPECT_EQ(said(), (Words{"start a", "sweep a",
                             "lost a: its agent ended before it connected (exit code 3)", "journal",
                             "release a"}));
    EXPECT_EQ(hosts->table().failed(), Words{"a"});
}

TEST_F(JobHostsTest, AHostThatIsNotLeftInTimeIsLost) {
    EXPECT_FALSE(ask(1));
    grant({"a"});
    hosts->start(HostIndex{0}, {});
    said();
    manager->answer(rms::Revoked{"a", 50ms});
    EXPECT_EQ(said(), (Words{"journal", "must go a"}));
    EXPECT_EQ(hosts->table().lasting().total_slots(), 0);
    ASSERT_TRUE(until("release a"));
    EXPECT_EQ(said(), (Words{"journal", "sweep a", "lost a: the resource manager has taken it back",
                             "journal", "release a"}));
    EXPECT_TRUE(hosts->table().failed().empty()) << "it may be granted again";
}

TEST_F(JobHostsTest, NoAgentStartsOnAHostThatIsGone) {
    EXPECT_FALSE(ask(1));
    grant({"a"});
    manager->answer(rms::Revoked{"a", 10s});
    const Words gone{"lost a: the resource manager has taken it back"};
    EXPECT_EQ(Words(log.end() - 1, log.end()), gone) << "nobody was there";
    said();
    hosts->start(HostIndex{0}, {});
    EXPECT_TRUE(said().empty()) << "told later: the caller is in the middle of starting others";
    ASSERT_TRUE(until(gone.front()));
    EXPECT_EQ(said(), gone);
}

// The name of this host in the list of hosts does not matter: another machine may have this name.
TEST_F(JobHostsTest, TheBrokersHostIsKnownByItsMachine) {
    EXPECT_FALSE(ask(3));
    grant({"short", "short.and.full", "silent"});
    const auto here = come_up(HostIndex{0}, rms::machine());
    const auto namesake = come_up(HostIndex{1}, rms::machine() + "0");
    EXPECT_TRUE(is_self(HostIndex{0}, *hosts));
    EXPECT_FALSE(is_self(HostIndex{1}, *hosts));
    EXPECT_FALSE(is_self(HostIndex{2}, *hosts)) << "no agent has said hello";
}

TEST_F(JobHostsTest, AtTheEndNothingIsKept) {
    EXPECT_FALSE(ask(2));
    manager->answer(rms::Granted{rms::RequestId{1}, {{"a", 1}}, false});
    said();
    hosts->end();
    EXPECT_EQ(said(), (Words{"journal", "cancel 1", "release a"}));
    hosts->end();
    EXPECT_TRUE(said().empty());
}

}  // namespace
}  // namespace ductile::broker::job_hosts_test
