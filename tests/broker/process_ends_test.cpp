#include "broker/process_ends.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "groups_of_a_job.hpp"

namespace ductile::broker::process_ends_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;

struct ProcessEnds : testing::Test {
    ProcessEnds() { state.role = GroupRole::member; }
    [[nodiscard]] RankEnd rank(int number, int code, int signal = 0) const {
        return rank_end({GroupId{0}, Rank{number}, code, signal, true, false, "why"}, state,
                        job.now(), mpi);
    }
    [[nodiscard]] PartEnd part(int host) const {
        return part_end({GroupId{0}, 1, 0, "text"}, HostIndex{host}, state, job.now(), mpi);
    }
    TestJob job;
    mpi::Capabilities mpi;
    GroupTable groups;
    GroupState& state = groups.add(job.first);
};

TEST_F(ProcessEnds, ARankIsNamedWithItsHost) {
    const auto end = rank(2, 3);
    EXPECT_EQ(end.who, "rank g0.2 on node1");
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.why, "why");
    EXPECT_TRUE(end.hello);
    EXPECT_FALSE(end.goodbye);
    EXPECT_FALSE(end.left);
    EXPECT_EQ(rank(0, 0, SIGSEGV).code, 128 + SIGSEGV);
}

TEST_F(ProcessEnds, AMemberOutsideTheLayoutHasLeft) {
    job.change_layout([](auto& layout) { layout.active.pop_back(); });
    EXPECT_FALSE(rank(0, 0).left);
    EXPECT_TRUE(rank(3, 0).left);
    state.role = GroupRole::newcomer;
    EXPECT_FALSE(rank(3, 0).left);
}

TEST_F(ProcessEnds, AnMpiexecMayHaveKilledRanksOfSeveralHosts) {
    EXPECT_TRUE(rank(0, 0).under_launcher);
    EXPECT_TRUE(part(0).under_launcher);
    mpi.agents_start_ranks = true;
    EXPECT_FALSE(rank(0, 0).under_launcher);
    EXPECT_FALSE(part(0).under_launcher);
    mpi.agents_start_ranks = false;
    state.group = {GroupId{0}, HostIndex{0}, 4};
    EXPECT_FALSE(rank(0, 0).under_launcher);
    state.launcher_group = GroupId{7};
    EXPECT_TRUE(rank(0, 0).under_launcher);
}

TEST_F(ProcessEnds, ALostNewcomerExplainsWhatFollows) {
    job.open.emplace(growth(job, {GroupId{1}, HostIndex{2}, 1}));
    EXPECT_EQ(rank(0, 1).lost_before, "");
    resize::Effects effects;
    job.open->on(resize::Begin{}, effects);
    job.open->on(resize::Recorded{}, effects);
    job.open->on(resize::NewcomerLost{"host node2 is lost", 125}, effects);
    ASSERT_TRUE(job.open->lost());
    EXPECT_EQ(rank(0, 1).lost_before, "host node2 is lost");
}

TEST_F(ProcessEnds, APartIsMpiexecItsProxyOrTheAgentsOwn) {
    EXPECT_EQ(part(0).what, "the launcher run of group g0 on node0");
    EXPECT_EQ(part(1).what, "the launcher's proxy of group g0 on node1");
    state.launcher_group = GroupId{7};
    EXPECT_EQ(part(0).what, "the launcher's proxy of group g0 on node0");
    mpi.agents_start_ranks = true;
    EXPECT_EQ(part(0).what, "the part of group g0 on node0");
    EXPECT_EQ(part(0).text, "text");
}

// The part with mpiexec is complete when all ranks of the group have ended. Any other part is
// complete when the ranks of its host have ended.
TEST_F(ProcessEnds, APartIsCompleteWhenItsRanksHaveEnded) {
    state.ranks[0].ended = state.ranks[1].ended = true;
    EXPECT_FALSE(part(0).complete);
    EXPECT_FALSE(part(1).complete);
    mpi.agents_start_ranks = true;
    EXPECT_TRUE(part(0).complete);
    EXPECT_FALSE(part(1).complete);
    mpi.agents_start_ranks = false;
    state.ranks[2].ended = state.ranks[3].ended = true;
    EXPECT_TRUE(part(0).complete);
    EXPECT_TRUE(part(1).complete);
}

TEST_F(ProcessEnds, TheJobNeedsTheHostsOfItsRanksAndOfItsChildren) {
    const auto needs = [&](int host) {
        return needs_host(state, HostIndex{host}, job.ledger.layout());
    };
    EXPECT_TRUE(needs(0));
    EXPECT_TRUE(needs(1));
    job.change_layout([](auto& layout) { layout.active.pop_back(); });
    EXPECT_FALSE(needs(1));
    job.change_layout([](auto& layout) {
        layout.parked.push_back({GroupId{0}, HostIndex{1}, Rank{2}, 2});
    });
    EXPECT_TRUE(needs(1));
    job.ledger.begin({});
    EXPECT_FALSE(needs(0));
    state.ranks[0].gives_data = true;
    EXPECT_TRUE(needs(0)) << "it has left, and members wait for its data";
    EXPECT_FALSE(needs(1));
    for (const auto role : {GroupRole::child, GroupRole::newcomer}) {
        state.role = role;
        EXPECT_TRUE(needs(0));
    }
    state.role = GroupRole::undone;
    EXPECT_FALSE(needs(0));
}

}  // namespace
}  // namespace ductile::broker::process_ends_test
