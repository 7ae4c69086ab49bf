#include "broker/launcher_proxies.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"
#include "groups_of_a_job.hpp"

namespace ductile::broker::launcher_proxies_test {
namespace {

using core::GroupId;
using core::HostIndex;

wire::ProxyWanted wanted(int starts, int part) {
    return {GroupId{0}, GroupId{starts}, part, {"proxy", "--id", std::to_string(part)}};
}

/// g0 of TestJob runs under an mpiexec on node0. Its ranks start g1 on node2.
struct LauncherProxiesTest : testing::Test {
    LauncherProxiesTest() {
        groups.add(job.first);
        groups.add({GroupId{1}, HostIndex{2}, 1}).launcher_group = GroupId{0};
    }
    GroupEffects want(const wire::ProxyWanted& proxy, int host = 0) {
        GroupEffects effects;
        proxies.on_wanted(HostIndex{host}, proxy, groups, job.hosts.up, effects);
        return effects;
    }
    GroupEffects up(int group, int host) {
        GroupEffects effects;
        proxies.start_waiting(GroupId{group}, HostIndex{host}, effects);
        return effects;
    }
    TestJob job;
    GroupTable groups;
    LauncherProxies proxies;
};

TEST_F(LauncherProxiesTest, TheAgentOfTheOtherHostStartsIt) {
    const auto effects = want(wanted(0, 1));
    ASSERT_EQ(words(effects), Words{"1:start_proxy"});
    EXPECT_EQ(order_at<wire::StartProxy>(effects, 0).group, GroupId{0});
    EXPECT_EQ(order_at<wire::StartProxy>(effects, 0).argv.back(), "1");
    // A group of one host that a rank starts has its proxy there, too.
    EXPECT_EQ(words(want(wanted(1, 0))), Words{"2:start_proxy"});
}

TEST_F(LauncherProxiesTest, AnAgentThatIsNotThereYetStartsItLater) {
    job.hosts.up.erase(HostIndex{2});
    EXPECT_TRUE(want(wanted(1, 0)).empty());
    EXPECT_TRUE(up(0, 2).empty());
    EXPECT_TRUE(up(1, 1).empty());
    EXPECT_EQ(words(up(1, 2)), Words{"2:start_proxy"});
    proxies.forget(GroupId{1});
    EXPECT_TRUE(up(1, 2).empty());
}

TEST_F(LauncherProxiesTest, OfAGroupThatIsGoneItHasEnded) {
    for (const int starts : {1, 2}) {
        groups.find(GroupId{1})->role = GroupRole::undone;
        const auto effects = want(wanted(starts, 0));
        ASSERT_EQ(words(effects), Words{"0:proxy_ended"});
        const auto& ended = order_at<wire::ProxyEnded>(effects, 0);
        EXPECT_EQ(ended.group, GroupId{0});
        EXPECT_EQ(ended.starts, GroupId{starts});
        EXPECT_EQ(ended.code, 1);
    }
    groups.erase(GroupId{0});
    EXPECT_TRUE(want(wanted(1, 0)).empty());
}

TEST_F(LauncherProxiesTest, AProxyThatCannotBeIsAnError) {
    EXPECT_THROW(want(wanted(0, 0)), InputError);     // mpiexec starts these itself
    EXPECT_THROW(want(wanted(0, 2)), InputError);     // there is no such part
    EXPECT_THROW(want(wanted(0, 1), 1), InputError);  // mpiexec is on node0
    groups.find(GroupId{1})->launcher_group = GroupId{1};
    EXPECT_THROW(want(wanted(1, 0)), InputError);  // it belongs to another mpiexec
}

TEST_F(LauncherProxiesTest, MpiexecHearsThatAProxyHasEnded) {
    GroupEffects effects;
    report_proxy_exit(*groups.find(GroupId{0}), HostIndex{1}, 9, groups, effects);
    ASSERT_EQ(words(effects), Words{"0:proxy_ended"});
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).part, 1);
    EXPECT_EQ(order_at<wire::ProxyEnded>(effects, 0).code, 9);
}

}  // namespace
}  // namespace ductile::broker::launcher_proxies_test
