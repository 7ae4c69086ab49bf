#include "rms/slurm_parent.hpp"

#include <gtest/gtest.h>

namespace ductile::rms::slurm_parent_test {
namespace {

using Names = std::vector<std::string>;
using Notices = SlurmParent::Notices;

ShownJob job_on(const Names& hosts) {
    ShownJob job;
    job.job = SlurmJob{12};
    for (const auto& host : hosts) job.hosts.hosts.push_back({host, 4});
    job.batch_host = hosts.front();
    job.is_exclusive = false;
    return job;
}

Names names_of(const std::vector<core::Host>& hosts) {
    Names names;
    for (const auto& host : hosts) names.push_back(host.name);
    return names;
}

class SlurmParentTest : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const auto& host : job.hosts.hosts) parent.agent_starts_on(host.name);
    }
    std::optional<Names> shrink(const std::set<std::string>& busy = {}, int at_s = 0) {
        return parent.shrink(busy, SlurmParent::Time(std::chrono::seconds(at_s)), said);
    }

    const ShownJob job = job_on({"a", "b", "c", "d"});
    SlurmParent parent{job, job.hosts, {}};
    Notices said;
};

TEST_F(SlurmParentTest, HostsThatAreReleasedTogetherLeaveTogether) {
    EXPECT_FALSE(parent.is_to_shrink());
    EXPECT_EQ(parent.release("d"), Notices{});
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_EQ(parent.release("elsewhere"), Notices{});
    EXPECT_TRUE(parent.is_to_shrink());
    EXPECT_EQ(shrink(), (Names{"a", "c"}));
    EXPECT_FALSE(parent.is_to_shrink()) << "one command at a time";
    EXPECT_EQ(shrink(), std::nullopt);
    EXPECT_FALSE(parent.has("b")) << "Slurm may have given it away";
    parent.shrunk();
    EXPECT_EQ(parent.hosts().size(), 2u);
    EXPECT_FALSE(parent.is_to_shrink());
}

TEST_F(SlurmParentTest, AHostThatIsReleasedMeanwhileLeavesWithTheNextCommand) {
    EXPECT_EQ(parent.release("d"), Notices{});
    EXPECT_EQ(shrink(), (Names{"a", "b", "c"}));
    EXPECT_EQ(parent.release("c"), Notices{});
    parent.shrunk();
    EXPECT_EQ(shrink(), (Names{"a", "b"}));
}

TEST_F(SlurmParentTest, TheHostsOfScriptAndBrokerStay) {
    SlurmParent other(job, job.hosts, {{}, "c.cluster.example"});
    for (const char* host : {"a", "b", "c", "d"}) {
        other.agent_starts_on(host);
        EXPECT_EQ(other.release(host), Notices{});
    }
    EXPECT_EQ(other.shrink({}, {}, said), (Names{"a", "c"}));
    for (const auto& own : other.hosts())
        EXPECT_EQ(own.can_leave, own.host.name == "b" || own.host.name == "d") << own.host.name;
}

TEST_F(SlurmParentTest, WithoutABatchHostTheFirstHostStays) {
    auto unknown = job;
    unknown.batch_host.clear();
    SlurmParent other(unknown, job.hosts, {});
    EXPECT_FALSE(other.hosts().at(0).can_leave);
    EXPECT_TRUE(other.hosts().at(1).can_leave);
}

TEST_F(SlurmParentTest, AReleasedHostMayBeTakenAgainUntilItLeaves) {
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_EQ(parent.release("c"), Notices{});
    EXPECT_EQ(names_of(parent.take({1, {1, {"b"}}})), Names{"c"});
    EXPECT_EQ(shrink(), (Names{"a", "c", "d"}));
    EXPECT_EQ(names_of(parent.take({2, {}})), Names{}) << "b is leaving";
    EXPECT_EQ(names_of(parent.take({1, {9, {}}})), Names{});
}

TEST_F(SlurmParentTest, AHostThatTheJobDidNotHaveStays) {
    SlurmParent taken_over(job, {{{"a", 4}, {"b", 4}}}, {});
    EXPECT_FALSE(taken_over.is_to_shrink());
    EXPECT_EQ(taken_over.release("d"), Notices{});
    EXPECT_FALSE(taken_over.is_to_shrink());
    EXPECT_EQ(names_of(taken_over.take({9, {}})), (Names{"c", "d"}));
}

TEST_F(SlurmParentTest, AHostWithAStepWaitsForItsEnd) {
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_EQ(parent.release("c"), Notices{});
    EXPECT_EQ(shrink({"b"}), (Names{"a", "b", "d"}));
    parent.shrunk();
    EXPECT_TRUE(parent.is_to_shrink());
    EXPECT_EQ(shrink({"b"}), std::nullopt);
    EXPECT_EQ(shrink(), (Names{"a", "d"}));
    EXPECT_EQ(said, Notices{});
}

TEST_F(SlurmParentTest, AStepThatGoesOnKeepsItsHost) {
    EXPECT_EQ(parent.release("b"), Notices{});
    for (const int at_s : {100, 101, 119}) {
        EXPECT_EQ(shrink({"b"}, at_s), std::nullopt);
        EXPECT_TRUE(parent.is_to_shrink()) << at_s;
    }
    EXPECT_EQ(shrink({"b"}, 120), std::nullopt);
    EXPECT_FALSE(parent.is_shrinking());
    EXPECT_EQ(said, Notices{"b stays idle in Slurm job 12: another step of this job runs there"});
    EXPECT_EQ(names_of(parent.take({1, {}})), Names{"b"});
}

TEST_F(SlurmParentTest, AHostThatTheJobHasNotUsedStays) {
    SlurmParent other(job, job.hosts, {});
    EXPECT_EQ(other.release("b"), Notices{});
    EXPECT_FALSE(other.is_shrinking());
    EXPECT_EQ(names_of(other.take({1, {}})), Names{"b"});
    other.agent_starts_on("b");
    EXPECT_EQ(other.release("b"), Notices{});
    EXPECT_TRUE(other.is_shrinking());
}

TEST_F(SlurmParentTest, AfterARefusalNoHostLeaves) {
    for (const char* host : {"b", "c"}) EXPECT_EQ(parent.release(host), Notices{});
    EXPECT_EQ(shrink({"c"}), (Names{"a", "c", "d"}));
    EXPECT_EQ(parent.not_shrunk("access denied", job.hosts),
              Notices{"b stays idle in Slurm job 12: Slurm has not taken it back: access denied"});
    EXPECT_FALSE(parent.is_shrinking());
    for (const auto& own : parent.hosts()) EXPECT_FALSE(own.can_leave) << own.host.name;
    EXPECT_EQ(parent.release("d"), Notices{});
    EXPECT_FALSE(parent.is_shrinking());
    EXPECT_EQ(names_of(parent.take({9, {}})), (Names{"b", "c", "d"}));
}

TEST_F(SlurmParentTest, AListThatWasNotTrueAnyMoreIsTriedAgain) {
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_EQ(shrink(), (Names{"a", "c", "d"}));
    EXPECT_EQ(parent.not_shrunk("no such host", job_on({"a", "b", "c"}).hosts), Notices{});
    EXPECT_FALSE(parent.has("d")) << "somebody else has taken it out";
    EXPECT_EQ(shrink(), (Names{"a", "c"}));
    parent.shrunk();
    EXPECT_FALSE(parent.is_shrinking());
}

TEST_F(SlurmParentTest, WhatIsRefusedButDoneHasLeft) {
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_TRUE(shrink().has_value());
    EXPECT_EQ(parent.not_shrunk("no such host", job_on({"a", "c", "d"}).hosts), Notices{});
    EXPECT_FALSE(parent.is_shrinking());
    EXPECT_EQ(parent.hosts().size(), 3u);
    EXPECT_TRUE(parent.hosts().at(1).can_leave);
}

TEST_F(SlurmParentTest, IfNobodyKnowsItIsTriedAgain) {
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_EQ(shrink(), (Names{"a", "c", "d"}));
    EXPECT_TRUE(parent.is_shrinking());
    parent.shrink_is_unclear();
    EXPECT_FALSE(parent.has("b")) << "it may have left, or leave later";
    EXPECT_EQ(names_of(parent.take({1, {}})), Names{});
    EXPECT_TRUE(parent.is_to_shrink());
    EXPECT_EQ(shrink({"b"}), (Names{"a", "c", "d"})) << "a step there may be another job's";
    parent.shrunk();
    EXPECT_EQ(parent.hosts().size(), 3u);
}

TEST(ParentRules, SayWhenHostsStay) {
    const auto shared = job_on({"a", "b"});
    auto exclusive = shared;
    exclusive.is_exclusive = true;
    constexpr SlurmVersion old{23, 11}, fresh{24, 5};
    const auto stay = [](ShrinkParent choice, const ShownJob& job, SlurmVersion version) {
        return !rules_for(choice, job, version, {}).why_hosts_stay.empty();
    };
    EXPECT_FALSE(stay(ShrinkParent::automatic, shared, fresh));
    EXPECT_TRUE(stay(ShrinkParent::automatic, shared, old));
    EXPECT_FALSE(stay(ShrinkParent::yes, shared, old));
    EXPECT_TRUE(stay(ShrinkParent::no, shared, fresh));
    for (const auto choice : {ShrinkParent::automatic, ShrinkParent::yes}) {
        EXPECT_TRUE(stay(choice, exclusive, fresh));
        EXPECT_FALSE(stay(choice, exclusive, {24, 11}));
    }
}

TEST(ParentRules, TheUserIsToldOnceThatHostsStay) {
    const auto job = job_on({"a", "b", "c"});
    SlurmParent parent(job, job.hosts, {"of this", {}});
    for (const auto& host : job.hosts.hosts) parent.agent_starts_on(host.name);
    EXPECT_EQ(parent.release("c"), Notices{"c stays idle in Slurm job 12: of this"});
    EXPECT_EQ(parent.release("b"), Notices{});
    EXPECT_FALSE(parent.is_to_shrink());
    for (const auto& own : parent.hosts()) EXPECT_FALSE(own.can_leave);
}

}  // namespace
}  // namespace ductile::rms::slurm_parent_test
