#include "broker/world_servers.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::world_servers_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

const core::Group two_hosts{GroupId{3}, HostIndex{0}, 3, {{HostIndex{2}, 1}}};

pmi::KvsName name(std::uint64_t number) {
    return pmi::KvsName(pmi::RandomBits{0, number});
}

/// "HOST:MESSAGE" of each order, and the news.
std::vector<std::string> words(const PmiOutbox& out) {
    std::vector<std::string> result;
    for (const auto& effect : out) {
        if (const auto* order = std::get_if<HostOrder>(&effect))
            result.push_back(std::visit(
                [&](const auto& message) {
                    return std::to_string(order->host.value) + ":" + std::string(message.name);
                },
                order->message));
        else
            result.push_back(std::holds_alternative<GateReady>(effect) ? "ready" : "failed");
    }
    return result;
}

using Words = std::vector<std::string>;

TEST(WorldServers, ABarrierOfAllHostsGoesDownWithAllKeys) {
    WorldServers servers;
    servers.add(two_hosts, name(1), pmi::Gate::open);
    PmiOutbox out;
    servers.on(HostIndex{0}, wire::BarrierReached{GroupId{3}, 0, {{"a", "x"}}}, out);
    EXPECT_TRUE(out.empty());
    servers.on(HostIndex{2}, wire::BarrierReached{GroupId{3}, 0, {{"b", "y"}}}, out);
    EXPECT_EQ(words(out), (Words{"0:barrier_released", "2:barrier_released"}));
    const auto& first = std::get<HostOrder>(out.front()).message;
    EXPECT_EQ(std::get<wire::BarrierReleased>(first).keys.size(), 2U);
    EXPECT_EQ(std::get<wire::BarrierReleased>(first).group, GroupId{3});
}

TEST(WorldServers, HostsThatHaveLeftOrAreLostAreNotWaitedFor) {
    for (const bool lost : {false, true}) {
        WorldServers servers;
        servers.add(two_hosts, name(1), pmi::Gate::open);
        PmiOutbox out;
        servers.on(HostIndex{0}, wire::BarrierReached{GroupId{3}, 0, {}}, out);
        if (lost)
            servers.on_host_lost(HostIndex{2}, out);
        else
            servers.on(HostIndex{2}, wire::LeftBarriers{GroupId{3}, {}}, out);
        EXPECT_EQ(words(out), (Words{"0:barrier_released"}));
    }
}

TEST(WorldServers, AGateOpensOnceAllHostsHaveComeToIt) {
    WorldServers servers;
    servers.add(two_hosts, name(1), pmi::Gate::shut);
    PmiOutbox out;
    servers.on(HostIndex{2}, wire::GateReached{GroupId{3}}, out);
    servers.release_gate(GroupId{3}, out);
    EXPECT_TRUE(out.empty());
    servers.on(HostIndex{0}, wire::GateReached{GroupId{3}}, out);
    EXPECT_EQ(words(out), (Words{"ready"}));
    servers.release_gate(GroupId{3}, out);
    EXPECT_EQ(words(out), (Words{"ready", "0:open_gate", "2:open_gate"}));
}

TEST(WorldServers, AGateFailsWithARankOrAHost) {
    for (const bool host : {false, true}) {
        WorldServers servers;
        servers.add(two_hosts, name(1), pmi::Gate::shut);
        PmiOutbox out;
        if (host)
            servers.on_host_lost(HostIndex{2}, out);
        else
            servers.on(HostIndex{2}, wire::GateLost{GroupId{3}, Rank{2}}, out);
        EXPECT_EQ(words(out), (Words{"failed"}));
    }
}

TEST(WorldServers, NamesAreOfTheJobAndEndWithTheirWorld) {
    WorldServers servers;
    servers.add(two_hosts, name(1), pmi::Gate::open);
    servers.add({GroupId{4}, HostIndex{1}, 1}, name(2), pmi::Gate::open);
    const auto ask = [&](int group, wire::NameQuestion question, const std::string& port = {}) {
        PmiOutbox out;
        servers.on(HostIndex{1},
                   wire::NameAsked{GroupId{group}, Rank{0}, question, "service", port}, out);
        return std::get<wire::NameAnswer>(std::get<HostOrder>(out.at(0)).message);
    };
    EXPECT_FALSE(ask(4, wire::NameQuestion::lookup).ok);
    EXPECT_TRUE(ask(3, wire::NameQuestion::publish, "port").ok);
    EXPECT_FALSE(ask(4, wire::NameQuestion::publish, "other").ok);
    EXPECT_EQ(ask(4, wire::NameQuestion::lookup).port, "port");
    servers.remove(GroupId{3});
    EXPECT_FALSE(ask(4, wire::NameQuestion::lookup).ok);
    EXPECT_FALSE(ask(4, wire::NameQuestion::unpublish).ok);
}

TEST(WorldServers, WhatIsSaidOfAGroupThatIsGoneIsPassedOver) {
    WorldServers servers;
    servers.add(two_hosts, name(1), pmi::Gate::shut);
    servers.remove(GroupId{3});
    PmiOutbox out;
    servers.on(HostIndex{0}, wire::BarrierReached{GroupId{3}, 0, {}}, out);
    servers.on(HostIndex{0}, wire::GateLost{GroupId{3}, Rank{0}}, out);
    servers.on(HostIndex{0},
               wire::NameAsked{GroupId{3}, Rank{0}, wire::NameQuestion::lookup, "s", ""}, out);
    servers.release_gate(GroupId{3}, out);
    servers.on_host_lost(HostIndex{0}, out);
    EXPECT_TRUE(out.empty());
    servers.add(two_hosts, name(1), pmi::Gate::open);  // the name is free again
}

}  // namespace
}  // namespace ductile::broker::world_servers_test
