#include "agent/orphan_watch.hpp"

#include <gtest/gtest.h>

namespace ductile::agent::orphan_watch_test {
namespace {

using namespace std::chrono_literals;

constexpr auto connecting = BrokerState::connecting, connected = BrokerState::connected,
               unresponsive = BrokerState::unresponsive, unreachable = BrokerState::unreachable,
               gone = BrokerState::gone;

struct Row {
    BrokerState broker;
    bool peers_complete, member_died;
    bool in_danger;
};

TEST(OrphanWatch, WhatPutsAJobInDanger) {
    const Row rows[] = {
        {connecting, false, false, false},
        {connecting, false, true, false},
        {connected, false, false, false},
        {connected, false, true, false},  // the broker decides
        {unresponsive, false, false, false},
        {unresponsive, true, false, false},  // the broker may go on at any time
        {unresponsive, true, true, true},
        {unreachable, true, false, true},
        {unreachable, false, false, true},
        {gone, true, false, false},
        {gone, false, false, true},
        {gone, true, true, true},
    };
    for (const auto& row : rows) {
        const Situation situation{row.broker, row.peers_complete, row.member_died};
        EXPECT_EQ(danger(situation).has_value(), row.in_danger)
            << to_text(row.broker) << row.peers_complete << row.member_died;
    }
}

TEST(OrphanWatch, ARankThatMpiDoesNotLetGoIsADangerOnceTheBrokerIsGone) {
    for (const auto broker : {connecting, connected, unresponsive, gone})
        EXPECT_EQ(danger({broker, true, false, true}).has_value(), broker == gone)
            << to_text(broker);
    EXPECT_NE(danger({gone, true, false, true})->find("MPI_Comm_spawn"), std::string::npos);
}

TEST(OrphanWatch, CountsFromTheBeginningOfTheDanger) {
    OrphanWatch watch(60s);
    const Time start{};
    EXPECT_FALSE(watch.deadline());
    watch.update({gone, false, false}, start);
    EXPECT_EQ(watch.deadline(), start + 60s);
    watch.update({unreachable, false, true}, start + 10s);
    EXPECT_EQ(watch.deadline(), start + 60s);
    EXPECT_NE(watch.why().find("failed"), std::string::npos);
    watch.update({gone, true, false}, start + 20s);  // all peers can be reached again
    EXPECT_FALSE(watch.deadline());
    watch.update({gone, false, false}, start + 30s);
    EXPECT_EQ(watch.deadline(), start + 90s);
}

TEST(OrphanWatch, ProcessThatWasStoppedCountsAnew) {
    OrphanWatch watch(60s);
    const Time start{};
    watch.restart(start);
    EXPECT_FALSE(watch.deadline());
    watch.update({unreachable, false, false}, start);
    watch.restart(start + 500s);
    EXPECT_EQ(watch.deadline(), start + 560s);
}

TEST(OrphanWatch, LimitMayChangeMeanwhile) {
    OrphanWatch watch(60s);
    watch.update({unreachable, false, false}, Time{});
    watch.set_limit(2s);
    EXPECT_EQ(watch.deadline(), Time{} + 2s);
}

}  // namespace
}  // namespace ductile::agent::orphan_watch_test
