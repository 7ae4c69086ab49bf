// A source starts groups, bridges to them and shares their ports. No MPI runs here.
#include "engine/spawner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "ductile/error.hpp"
#include "fake_channel.hpp"
#include "fake_spawn_steps.hpp"

namespace ductile::engine::spawner_test {
namespace {

using namespace std::chrono_literals;
using core::GroupId;
using core::TransactionId;
using wire::SpawnBridge;
using Steps = std::vector<std::string>;

constexpr TransactionId first{7}, second{8};

wire::SpawnGroup group(int id, SpawnBridge bridge = SpawnBridge::no, TransactionId of = first) {
    wire::SpawnGroup order;
    order.transaction = of;
    order.group = GroupId{id};
    order.ranks = 2;
    order.bridge = bridge;
    return order;
}

/// A step that does not return until the test calls let_return().
class Slow {
  public:
    void operator()() const { gate_.wait(); }
    void let_return() { open_->set_value(); }

  private:
    std::shared_ptr<std::promise<void>> open_ = std::make_shared<std::promise<void>>();
    std::shared_future<void> gate_ = open_->get_future().share();
};

void fail() {
    throw SystemError("they are gone");
}

struct Source {
    std::shared_ptr<FakeSpawnSteps> mpi = std::make_shared<FakeSpawnSteps>();
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    std::atomic<int> working = 0;
    mpi::SharedComm comm = std::make_shared<mpi::Comm>();
    Spawner spawner{agent, mpi, [this](bool on) { working += on ? 1 : -1; }};

    void carry_out(StartOrder order) { spawner.carry_out(std::move(order), comm); }
    void await_all() const {
        while (working > 0) std::this_thread::sleep_for(1ms);
    }
    /// Waits until the thread of the source has ended. Returns its last message.
    template <class Message>
    Message last_said() {
        await_all();
        return std::get<Message>(agent->take().back());
    }
    /// Starts a group and its bridge: all new ranks have entered the merge.
    void start_bridged(SpawnBridge by = SpawnBridge::by_root, TransactionId of = first) {
        spawner.merge(of);
        carry_out(group(3, by, of));
        await_all();
    }
};

TEST(Spawner, starts_one_group_after_the_other_and_says_so) {
    Source source;
    Slow slow;
    source.mpi->at["start 3"] = slow;
    source.carry_out(group(3));
    source.mpi->await("start 3");
    source.carry_out(group(4));
    EXPECT_EQ(source.working, 1);
    EXPECT_TRUE(source.agent->take().empty());
    slow.let_return();
    source.await_all();
    EXPECT_EQ(source.mpi->take_steps(), (Steps{"start 3", "start 4"}));
    const auto said = source.agent->take();
    ASSERT_EQ(said.size(), 2U);
    for (int i = 0; i < 2; ++i) {
        const auto& one = std::get<wire::Spawned>(said[static_cast<std::size_t>(i)]);
        EXPECT_TRUE(one.ok);
        EXPECT_EQ(one.transaction, first);
        EXPECT_EQ(one.group, GroupId{3 + i});
    }
    EXPECT_TRUE(source.spawner.finish(0ms));
}

TEST(Spawner, begins_again_after_it_had_nothing_to_do) {
    Source source;
    for (const int id : {3, 4}) {
        source.carry_out(group(id));
        EXPECT_TRUE(source.last_said<wire::Spawned>().ok);
    }
    EXPECT_EQ(source.mpi->take_steps(), (Steps{"start 3", "start 4"}));
}

TEST(Spawner, a_start_that_fails_is_reported_in_a_text_that_fits) {
    Source source;
    source.mpi->at["start 3"] = [] { throw SystemError(std::string(10'000, 'x')); };
    source.carry_out(group(3, SpawnBridge::by_root));
    const auto said = source.last_said<wire::Spawned>();  // no bridge after it
    EXPECT_FALSE(said.ok);
    EXPECT_EQ(said.why, std::string(wire::limits::text_bytes, 'x'));
    EXPECT_EQ(source.mpi->take_steps(), Steps{"start 3"});
}

TEST(Spawner, leaves_out_what_is_given_up_before_it_begins) {
    Source source;
    source.spawner.give_up(first);
    source.carry_out(group(3));
    const auto said = source.last_said<wire::Spawned>();
    EXPECT_FALSE(said.ok);
    EXPECT_EQ(said.why, "the start was given up");
    EXPECT_EQ(source.mpi->take_steps(), Steps{});
    source.carry_out(group(4, SpawnBridge::no, second));
    EXPECT_TRUE(source.last_said<wire::Spawned>().ok);
}

// The other sources may be inside MPI_Comm_spawn already, and wait for this one.
TEST(Spawner, takes_part_in_a_start_of_all_sources_that_is_given_up) {
    Source source;
    source.spawner.give_up(first);
    source.carry_out(group(3, SpawnBridge::by_all));
    EXPECT_FALSE(source.last_said<wire::Bridged>().ok);
    EXPECT_EQ(source.mpi->take_steps(), Steps{"start 3 with all sources"});
}

// ---- the bridge ----

TEST(Spawner, the_bridge_waits_for_the_order_to_merge) {
    for (const bool all : {false, true}) {
        Source source;
        const std::string who = all ? " with all sources" : "";
        source.carry_out(group(3, all ? SpawnBridge::by_all : SpawnBridge::by_root));
        while (!source.agent->has_said<wire::Spawned>()) std::this_thread::sleep_for(1ms);
        source.spawner.merge(second);
        source.spawner.give_up(second);
        std::this_thread::sleep_for(20ms);
        EXPECT_EQ(source.mpi->take_steps(), Steps{"start 3" + who});
        source.spawner.merge(first);
        source.spawner.merge(first);
        const auto said = source.last_said<wire::Bridged>();
        EXPECT_TRUE(said.ok);
        EXPECT_EQ(said.transaction, first);
        EXPECT_EQ(source.mpi->take_steps(), Steps{"bridge to 3" + who});
    }
}

TEST(Spawner, the_bridge_is_given_away_once) {
    Source source;
    source.start_bridged();
    EXPECT_FALSE(source.spawner.take(second));
    const auto bridge = source.spawner.take(first);
    EXPECT_TRUE(bridge);
    EXPECT_EQ(bridge, source.mpi->bridge_made.lock());
    EXPECT_FALSE(source.spawner.take(first));
    source.spawner.merge(first);  // an order that comes twice makes no second bridge
    source.await_all();
    EXPECT_FALSE(source.spawner.take(first));
    EXPECT_EQ(source.mpi->take_steps(), (Steps{"start 3", "bridge to 3"}));
}

TEST(Spawner, who_waits_for_the_merge_is_woken_when_the_resize_is_off) {
    for (const bool broker_lost : {false, true}) {
        Source source;
        source.carry_out(group(3, SpawnBridge::by_all));
        while (!source.agent->has_said<wire::Spawned>()) std::this_thread::sleep_for(1ms);
        if (broker_lost)
            source.spawner.stop_sharing();
        else
            source.spawner.give_up(first);
        const auto said = source.last_said<wire::Bridged>();
        EXPECT_FALSE(said.ok);
        EXPECT_EQ(said.why, "the program is ending");
        EXPECT_EQ(source.mpi->take_steps(), Steps{"start 3 with all sources"});
        EXPECT_FALSE(source.spawner.take(first));
    }
}

// All sources have got the order to merge. So each of them must merge.
TEST(Spawner, an_order_to_merge_counts_for_more_than_giving_up) {
    Source source;
    source.spawner.give_up(first);
    source.start_bridged(SpawnBridge::by_all);
    EXPECT_EQ(source.mpi->take_steps(),
              (Steps{"start 3 with all sources", "bridge to 3 with all sources"}));
    EXPECT_TRUE(source.mpi->bridge_made.expired());
    EXPECT_FALSE(source.spawner.take(first));
}

TEST(Spawner, newcomers_that_die_in_the_merge_are_reported) {
    Source source;
    source.mpi->at["bridge to 3"] = fail;
    source.start_bridged();
    const auto said = source.last_said<wire::Bridged>();
    EXPECT_FALSE(said.ok);
    EXPECT_FALSE(said.degraded);
    EXPECT_EQ(said.why, "they are gone");
    EXPECT_FALSE(source.spawner.take(first));
    source.mpi->at.clear();
    source.start_bridged(SpawnBridge::by_root, second);
    EXPECT_TRUE(source.spawner.take(second));
}

// MPI_Comm_free may wait, so the thread of the link does not call it.
TEST(Spawner, a_bridge_that_is_given_up_is_freed_by_the_thread) {
    Source source;
    source.start_bridged();
    source.spawner.give_up(second);
    EXPECT_FALSE(source.mpi->bridge_made.expired());
    source.spawner.give_up(first);
    EXPECT_FALSE(source.spawner.take(first));
    EXPECT_FALSE(source.mpi->bridge_made.expired());
    source.carry_out(group(4, SpawnBridge::no, second));
    source.await_all();
    EXPECT_TRUE(source.mpi->bridge_made.expired());
}

TEST(Spawner, its_end_frees_the_bridge) {
    for (const bool given_up : {false, true}) {
        Source source;
        source.start_bridged();
        if (given_up) source.spawner.give_up(first);
        EXPECT_FALSE(source.mpi->bridge_made.expired());
        EXPECT_TRUE(source.spawner.finish(0ms));
        EXPECT_TRUE(source.mpi->bridge_made.expired());
    }
}

TEST(Spawner, its_end_waits_for_nobody_who_is_stuck) {
    Source source;
    Slow slow;
    source.mpi->at["start 3"] = slow;
    source.carry_out(group(3, SpawnBridge::by_root));
    source.mpi->await("start 3");
    EXPECT_FALSE(source.spawner.finish(0ms));
    slow.let_return();
    EXPECT_TRUE(source.spawner.finish(30s));  // it does not wait for the order to merge
    EXPECT_FALSE(source.last_said<wire::Bridged>().ok);
}

// ---- ports ----

TEST(Spawner, shares_the_ports_of_the_groups_of_this_resize) {
    Source source;
    Slow slow;  // so that all orders come before the thread has carried out the first one
    source.mpi->at["start 3"] = slow;
    source.carry_out(group(3));
    source.carry_out(group(4));
    source.carry_out(wire::SharePorts{first, {}});
    source.carry_out(group(5, SpawnBridge::no, second));
    source.carry_out(wire::SharePorts{second, {}});
    slow.let_return();
    source.await_all();
    EXPECT_EQ(source.mpi->take_steps(),
              (Steps{"start 3", "start 4", "share ports of 3 4", "start 5", "share ports of 5"}));
}

TEST(Spawner, shares_the_ports_of_groups_whose_thread_has_ended) {
    Source source;
    for (const int id : {3, 4}) {
        source.carry_out(group(id));
        source.await_all();
    }
    source.carry_out(wire::SharePorts{first, {}});
    source.await_all();
    EXPECT_EQ(source.mpi->take_steps(), (Steps{"start 3", "start 4", "share ports of 3 4"}));
    EXPECT_TRUE(source.mpi->last_child.expired()) << "no other order needs it";
}

TEST(Spawner, shares_nothing_if_a_start_failed_whose_thread_has_ended) {
    Source source;
    source.mpi->at["start 3"] = fail;
    source.carry_out(group(3));
    source.await_all();
    source.carry_out(wire::SharePorts{first, {}});
    source.await_all();
    EXPECT_EQ(source.mpi->take_steps(), Steps{"start 3"});
}

TEST(Spawner, keeps_a_child_until_another_resize_or_its_end) {
    for (const bool ends : {false, true}) {
        Source source;
        source.carry_out(group(3));
        source.await_all();
        const auto child = source.mpi->last_child;
        EXPECT_FALSE(child.expired());
        if (ends)
            EXPECT_TRUE(source.spawner.finish(0ms));
        else
            source.carry_out(wire::SharePorts{second, {}});
        source.await_all();
        EXPECT_TRUE(child.expired());
    }
}

TEST(Spawner, shares_nothing_if_a_group_could_not_be_started) {
    Source source;
    Slow slow;
    source.mpi->at["start 3"] = [slow] { slow(), fail(); };
    source.carry_out(group(3));
    source.carry_out(group(4));
    source.carry_out(wire::SharePorts{first, {}});
    source.carry_out(wire::SharePorts{second, {}});
    slow.let_return();
    source.await_all();
    EXPECT_EQ(source.mpi->take_steps(), (Steps{"start 3", "start 4", "share ports of"}));
}

TEST(Spawner, stops_sharing_when_newcomers_cannot_become_members) {
    for (const bool broker_lost : {false, true}) {
        Source source;
        source.mpi->while_sharing = [](const std::function<bool()>& is_wanted) {
            while (is_wanted()) std::this_thread::sleep_for(1ms);
        };
        source.carry_out(wire::SharePorts{first, {}});
        source.mpi->await("share ports of");
        source.spawner.give_up(second);
        std::this_thread::sleep_for(20ms);
        EXPECT_EQ(source.working, 1);
        if (broker_lost)
            source.spawner.stop_sharing();
        else
            source.spawner.give_up(first);
        source.await_all();
    }
}

TEST(Spawner, shares_again_when_a_broker_is_back) {
    Source source;
    bool is_wanted = false;
    source.mpi->while_sharing = [&](const auto& asks) { is_wanted = asks(); };
    source.spawner.stop_sharing();
    source.carry_out(wire::SharePorts{first, {}});
    source.await_all();
    EXPECT_TRUE(is_wanted);
}

TEST(Spawner, a_child_that_dies_while_ports_are_shared_is_for_the_broker_to_find_out) {
    Source source;
    source.mpi->at["share ports of"] = fail;
    source.carry_out(wire::SharePorts{first, {}});
    source.carry_out(group(4));
    EXPECT_TRUE(source.last_said<wire::Spawned>().ok);
}

}  // namespace
}  // namespace ductile::engine::spawner_test
