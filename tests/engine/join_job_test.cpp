// A newcomer joins the program, up to the commit. No MPI runs here.
#include "engine/join_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>

#include "fake_channel.hpp"
#include "fake_join_steps.hpp"

namespace ductile::engine::join_job_test {
namespace {

using namespace std::chrono_literals;
using core::Rank;
using core::TransactionId;
using Asked = std::vector<std::string>;

const Asked all_steps{"handshake", "connect", "exchange", "comms after", "await commit"};

/// The second of two newcomers, which join two sources.
struct Newcomer {
    FakeMpi mpi;
    FakeChannel agent;
    Mailbox mail;
    data::Registry registry;
    Schema schema;
    std::vector<wire::ToRank> others;
    const std::function<void(const wire::ToRank&)> otherwise = [this](const wire::ToRank& one) {
        others.push_back(one);
    };
    JoinSide side;
    JoinState state;

    Newcomer() {
        agent.answer.role = wire::Role::newcomer;
        agent.answer.base_ranks = 2;
        mpi.join->all = {3, 4};
        side.local = mpi.peers->job({1, 2}).switching;
        side.newcomers = true;
        state.point = 17;
        state.layout = core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 4, {}}});
        state.targets = first_ranks(4);
        state.packed = data::pack_state({}, {});
    }
    /// Rank 0 of the program has a frozen array.
    void gives_an_array() {
        const auto blocks = [](int parts) {
            return std::make_shared<const plan::Partition>(plan::BlockDistribution{100, parts});
        };
        data::Outgoing array;
        array.spec = {"a", "int", 1, sizeof(int), 100};
        array.spec.frozen = true;
        array.before = blocks(2);
        array.after = blocks(4);
        state.packed = data::pack_state({}, {array});
    }
    Membership join(bool background = false) {
        mpi.join->state = pack_join_state(state);
        return join_job(side, background, {agent, mail, registry, schema, otherwise}, mpi.calls());
    }
};

TEST(JoinJob, a_newcomer_has_its_data_before_the_commit) {
    Newcomer newcomer;
    newcomer.mail.put(wire::Commit{});
    newcomer.mpi.join->at["await commit"] = [&](data::Progress&) {
        EXPECT_EQ(newcomer.mpi.peers->take_asked(), Asked{"move to 0 1 2 3"});
    };
    const auto membership = newcomer.join();
    EXPECT_EQ(newcomer.mpi.join->take_steps(), all_steps);
    EXPECT_EQ(membership.point, 17);
    EXPECT_EQ(membership.layout, newcomer.state.layout);
    EXPECT_EQ(newcomer.mpi.peers->place_in(*membership.comms.job).rank, 3);
    EXPECT_TRUE(newcomer.agent.take().empty());
}

TEST(JoinJob, where_nobody_stays_newcomers_come_first) {
    Newcomer newcomer;
    newcomer.mail.put(wire::Commit{});
    newcomer.state.targets = {Rank{2}, Rank{3}};
    const auto membership = newcomer.join();
    const auto place = newcomer.mpi.peers->place_in(*membership.comms.job);
    EXPECT_EQ(place.rank, 1);
    EXPECT_EQ(place.size, 2);
}

TEST(JoinJob, who_has_the_bridge_says_that_they_enter) {
    Newcomer newcomer;
    newcomer.mail.put(wire::Commit{});
    newcomer.side.bridge = std::make_shared<mpi::Comm>();
    newcomer.join();
    EXPECT_EQ(newcomer.mpi.join->take_steps().front(), "enter");
}

TEST(JoinJob, it_is_no_member_before_the_commit) {
    Newcomer newcomer;
    auto joined = std::async(std::launch::async, [&] { return newcomer.join(); });
    newcomer.mpi.join->await("await commit");
    EXPECT_EQ(joined.wait_for(20ms), std::future_status::timeout);
    EXPECT_TRUE(newcomer.mpi.join->is_at("await commit"));
    newcomer.mail.put(wire::Commit{});
    joined.get();
}

/// A function that throws at its nth call. Calls of copies count, too.
std::function<void(data::Progress&)> fails_at(int nth) {
    return [left = std::make_shared<int>(nth)](data::Progress&) {
        if (--*left == 0) throw SystemError("they are gone");
    };
}

// The exception comes out of join_job(), so that the process ends.
TEST(JoinJob, what_fails_in_a_step_comes_out_there) {
    for (const auto& step : all_steps) {
        Newcomer newcomer;
        newcomer.mpi.join->at[step] = [](data::Progress&) { throw SystemError("they are gone"); };
        EXPECT_THROW(newcomer.join(), SystemError);
        EXPECT_EQ(newcomer.mpi.join->take_steps().back(), step);
    }
}

TEST(JoinJob, what_fails_when_they_enter_comes_out) {
    Newcomer newcomer;
    newcomer.side.bridge = std::make_shared<mpi::Comm>();
    newcomer.mpi.join->at["enter"] = fails_at(1);
    EXPECT_THROW(newcomer.join(), SystemError);
    EXPECT_EQ(newcomer.mpi.join->take_steps(), Asked{"enter"});
}

// The program computes meanwhile. So there is a second exchange of the state, at the point.
TEST(JoinJob, what_fails_in_the_background_comes_out_there) {
    const Asked steps{"handshake", "connect",  "exchange",    "least",
                      "all ahead", "exchange", "comms after", "await commit"};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Newcomer newcomer;
        newcomer.gives_an_array();
        newcomer.mail.put(wire::Proceed{});
        const auto until = steps.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        newcomer.mpi.join->at[steps[i]] =
            fails_at(static_cast<int>(std::count(steps.begin(), until, steps[i])));
        EXPECT_THROW(newcomer.join(true), SystemError);
        EXPECT_EQ(newcomer.mpi.join->take_steps(), Asked(steps.begin(), until));
    }
}

TEST(JoinJob, data_that_do_not_arrive_end_it) {
    for (const bool background : {false, true}) {
        Newcomer newcomer;
        newcomer.gives_an_array();
        newcomer.mpi.peers->while_moving = fails_at(1);
        EXPECT_THROW(newcomer.join(background), SystemError);
        EXPECT_EQ(newcomer.mpi.join->take_steps().back(), background ? "least" : "exchange");
        EXPECT_TRUE(newcomer.agent.take().empty());
    }
}

TEST(JoinJob, after_the_commit_a_failure_is_that_of_a_member) {
    for (const bool in_data : {false, true}) {
        Newcomer newcomer;
        newcomer.mail.put(wire::Commit{});
        newcomer.state.memory = plan::Memory::tight;
        if (in_data)
            newcomer.mpi.peers->while_moving = fails_at(1);
        else
            newcomer.mpi.join->at["all moved"] = fails_at(1);
        EXPECT_THROW(newcomer.join(), SystemError);
        EXPECT_TRUE(newcomer.agent.take_only<wire::JoinedJob>());
        EXPECT_EQ(newcomer.mpi.join->take_steps().back(), in_data ? "await commit" : "all moved");
    }
}

TEST(JoinJob, a_state_that_cannot_be_read_is_refused_by_name) {
    Newcomer newcomer;
    newcomer.state.packed = "nonsense";
    try {
        newcomer.join();
        FAIL() << "it is taken";
    } catch (const SystemError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("new rank 2 of 2: ", 0), 0) << error.what();
    }
    EXPECT_EQ(newcomer.mpi.peers->take_asked(), Asked{});
}

TEST(JoinJob, with_tight_memory_data_come_after_the_commit) {
    Newcomer newcomer;
    newcomer.mail.put(wire::Commit{});
    newcomer.state.memory = plan::Memory::tight;
    newcomer.mpi.join->at["await commit"] = [&](data::Progress&) {
        EXPECT_EQ(newcomer.mpi.peers->take_asked(), Asked{});
        EXPECT_TRUE(newcomer.agent.take().empty());
    };
    newcomer.join();
    EXPECT_EQ(newcomer.mpi.peers->take_asked(), Asked{"move to 0 1 2 3"});
    EXPECT_TRUE(newcomer.agent.take_only<wire::JoinedJob>());
    EXPECT_EQ(newcomer.mpi.join->take_steps().back(), "all moved");
}

TEST(JoinJob, in_the_background_it_waits_for_the_point) {
    Newcomer newcomer;
    auto joined = std::async(std::launch::async, [&] { return newcomer.join(true); });
    newcomer.mail.put(wire::ResizePending{});
    newcomer.mpi.join->await("exchange");
    EXPECT_EQ(joined.wait_for(20ms), std::future_status::timeout);
    EXPECT_EQ(newcomer.mpi.join->take_steps(), (Asked{"handshake", "connect", "exchange"}));
    newcomer.mail.put(wire::Proceed{});
    newcomer.mail.put(wire::Commit{});
    joined.get();
    EXPECT_EQ(newcomer.mpi.join->take_steps(), (Asked{"exchange", "comms after", "await commit"}));
    ASSERT_EQ(newcomer.others.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<wire::ResizePending>(newcomer.others.front()));
}

}  // namespace
}  // namespace ductile::engine::join_job_test
