// What the tests of real agents share.
#pragma once

#include <gtest/gtest.h>

#include "fake_broker.hpp"

namespace ductile::test {

/// The command line of rank_program with these acts.
inline std::vector<std::string> program(std::vector<std::string> acts) {
    acts.insert(acts.begin(), DUCTILE_TEST_PROGRAM);
    return acts;
}

inline bool run_ended(FakeBroker& broker, int host, int group = 1) {
    for (const auto& end : broker.heard(host).all<wire::RunEnded>())
        if (end.group.value == group) return true;
    return false;
}

/// Ranks `first` to `last` of a group, for orders. The host index is not used: an agent knows its
/// host.
inline std::vector<wire::RangeFields> ranks(int group, int first, int last) {
    return {wire::RangeFields{
        {core::GroupId{group}, core::HostIndex{0}, core::Rank{first}, last - first + 1}}};
}

/// Sends FinishAgent. The agent must say goodbye on each connection, end with code 0, and leave
/// nothing behind.
inline void finish(FakeBroker& broker, int host) {
    broker.send(host, wire::FinishAgent{});
    ASSERT_TRUE(broker.run_until([&] { return broker.heard(host).exited; }));
    EXPECT_EQ(broker.heard(host).code, 0) << broker.heard(host).said;
    EXPECT_TRUE(broker.heard(host).goodbye);
    EXPECT_EQ(broker.heard(host).stream_goodbye, broker.heard(host).had_stream);
    EXPECT_TRUE(processes_of(broker.marker(host)).empty());
    EXPECT_TRUE(directories_of(broker.job()).empty());
}

}  // namespace ductile::test
