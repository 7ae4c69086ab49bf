#include "core/host_share.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace ductile::core::host_share_test {
namespace {

const std::vector<std::string> hosts{"node01", "fd00::2", "fd00::2:1", "Node-B", "10"};

bool is_host(std::string_view name) {
    return std::ranges::any_of(hosts,
                               [name](const auto& host) { return is_same_host(host, name); });
}

HostShare read(std::string_view word) {
    return read_host_share(word, is_host).value_or(HostShare{"(nothing)"});
}

TEST(HostShare, NamesAndAddressesOfHosts) {
    EXPECT_EQ(read("node01"), (HostShare{"node01"}));
    EXPECT_EQ(read("node01:2"), (HostShare{"node01", 2}));
    EXPECT_EQ(read("NODE-b:3"), (HostShare{"NODE-b", 3}));
    EXPECT_EQ(read("10:10"), (HostShare{"10", 10}));
    EXPECT_EQ(read("fd00::2"), (HostShare{"fd00::2"}));
    EXPECT_EQ(read("fd00::2:1"), (HostShare{"fd00::2:1"}));  // also a host
    EXPECT_EQ(read("fd00::2:3"), (HostShare{"fd00::2", 3}));
    EXPECT_EQ(read("FD00::2:3"), (HostShare{"FD00::2", 3}));
    EXPECT_EQ(read("[fd00::2]"), (HostShare{"fd00::2"}));
    EXPECT_EQ(read("[fd00::2]:1"), (HostShare{"fd00::2", 1}));
}

TEST(HostShare, UnknownHostsAreNamedInFull) {
    EXPECT_EQ(read("nosuch"), (HostShare{"nosuch"}));
    EXPECT_EQ(read("nosuch:4"), (HostShare{"nosuch", 4}));
    EXPECT_EQ(read("fd00::9:4"), (HostShare{"fd00::9:4"}));
    EXPECT_EQ(read("[fd00::9]:4"), (HostShare{"fd00::9", 4}));
}

TEST(HostShare, WhatIsNone) {
    for (const auto* bad : {"", ":", ":3", "node01:", "node01:x", "node01:0", "node01:-1",
                            "node01:+1", "node01: 1", "node01:1048577", "node01:99999999999", "[]",
                            "[]:1", "[fd00::2]x", "[fd00::2]:", "[fd00::2]:0", "fd00::2:0"})
        EXPECT_FALSE(read_host_share(bad, is_host)) << bad;
    EXPECT_EQ(read("node01:1048576"), (HostShare{"node01", 1 << 20}));
}

RC_GTEST_PROP(HostShare, IsReadAsItIsWritten, ()) {
    HostShare share{*rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab0.-_:F"))))};
    if (*rc::gen::arbitrary<bool>()) share.ranks = *rc::gen::inRange(1, (1 << 20) + 1);
    RC_ASSERT(read_host_share(to_string(share), is_no_host) == share);
}

TEST(SameHost, CapitalsDoNotDiffer) {
    EXPECT_TRUE(is_same_host("Node01.Site", "node01.SITE"));
    EXPECT_FALSE(is_same_host("node01", "node010"));
    EXPECT_FALSE(is_same_host("node@1", "node`1"));
}

}  // namespace
}  // namespace ductile::core::host_share_test
