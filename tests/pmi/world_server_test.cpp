#include "pmi/world_server.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"
#include "pmi/limits.hpp"
#include "pmi/server.hpp"

namespace ductile::pmi::world_server_test {
namespace {

using core::HostIndex;

const HostIndex a{0}, b{3};

SendToHost released(HostIndex host, int round, Keys keys) {
    return {host, BarrierReleased{BarrierRound{round}, std::move(keys)}};
}
BarrierReached reached(int round, Keys keys = {}) {
    return {BarrierRound{round}, std::move(keys)};
}

class Asked {
  public:
    explicit Asked(Gate gate = Gate::open, Barriers barriers = Barriers::from_first)
        : world_({a, b}, gate, barriers) {}
    WorldOutbox hear(HostIndex host, const FromHost& message) {
        WorldOutbox out;
        world_.on(host, message, out);
        return out;
    }
    WorldOutbox lose(HostIndex host) {
        WorldOutbox out;
        world_.on_host_lost(host, out);
        return out;
    }
    WorldOutbox release_gate() {
        WorldOutbox out;
        world_.release_gate(out);
        return out;
    }

  private:
    WorldServer world_;
};

TEST(WorldServer, MergesTheKeysOfABarrier) {
    Asked world;
    EXPECT_EQ(world.hear(a, reached(0, {{"x", "1"}})), WorldOutbox{});
    EXPECT_EQ(world.hear(a, reached(0, {{"x", "1"}})), WorldOutbox{}) << "came twice";
    EXPECT_EQ(world.hear(HostIndex{9}, reached(0)), WorldOutbox{}) << "a stranger";
    const Keys both{{"x", "1"}, {"y", "2"}};
    EXPECT_EQ(world.hear(b, reached(0, {{"y", "2"}})),
              (WorldOutbox{released(a, 0, both), released(b, 0, both)}));
    EXPECT_EQ(world.hear(b, reached(0)), WorldOutbox{}) << "over";
    EXPECT_EQ(world.hear(b, reached(1)), WorldOutbox{});
    EXPECT_EQ(world.hear(a, reached(1)), (WorldOutbox{released(a, 1, {}), released(b, 1, {})}));
}

TEST(WorldServer, OfTwoValuesThatOfTheLowerHostHolds) {
    for (const bool lower_first : {false, true}) {
        Asked world;
        world.hear(lower_first ? a : b, reached(0, {{"x", lower_first ? "a" : "b"}}));
        EXPECT_EQ(world.hear(lower_first ? b : a, reached(0, {{"x", lower_first ? "b" : "a"}})),
                  (WorldOutbox{KeyConflict{"x"}, released(a, 0, {{"x", "a"}}),
                               released(b, 0, {{"x", "a"}})}));
    }
    Asked world;
    world.hear(a, reached(0, {{"x", "same"}}));
    EXPECT_EQ(world.hear(b, reached(0, {{"x", "same"}})).size(), 2U);
}

TEST(WorldServer, NobodyWaitsForAHostThatHasLeftOrIsLost) {
    const FromHost left = LeftBarriers{{{"y", "2"}}};
    const Keys both{{"x", "1"}, {"y", "2"}};
    Asked leaving, losing, early;
    leaving.hear(a, reached(0, {{"x", "1"}}));
    EXPECT_EQ(leaving.hear(b, left), (WorldOutbox{released(a, 0, both)}));
    EXPECT_EQ(leaving.hear(b, left), WorldOutbox{});
    EXPECT_EQ(leaving.hear(a, reached(1)), (WorldOutbox{released(a, 1, {})}));
    EXPECT_EQ(leaving.lose(b), WorldOutbox{});
    EXPECT_EQ(early.hear(b, left), WorldOutbox{});
    EXPECT_EQ(early.hear(a, reached(0, {{"x", "1"}})), (WorldOutbox{released(a, 0, both)}));
    losing.hear(b, reached(0, {{"y", "2"}}));
    EXPECT_EQ(losing.lose(b), WorldOutbox{});
    EXPECT_EQ(losing.hear(b, reached(0)), WorldOutbox{});
    EXPECT_EQ(losing.hear(a, reached(0, {{"x", "1"}})), (WorldOutbox{released(a, 0, both)}));
    EXPECT_EQ(losing.lose(a), WorldOutbox{});
}

struct TakenOver : Asked {
    TakenOver() : Asked(Gate::open, Barriers::taken_over) {}
};

TEST(WorldServer, AfterATakeoverItGoesOnWithTheHostsBarrier) {
    TakenOver both_wait, none_waits, at_first;
    for (const auto host : {a, b})
        for (const int round : {3, 4}) both_wait.hear(host, reached(round, {{"x", "1"}}));
    EXPECT_EQ(both_wait.hear(a, reached(4)), WorldOutbox{}) << "over";
    EXPECT_EQ(both_wait.hear(a, reached(6)), WorldOutbox{}) << "it is in none after the next one";
    both_wait.hear(a, reached(5));
    EXPECT_EQ(both_wait.hear(b, reached(5)), (WorldOutbox{released(a, 5, {}), released(b, 5, {})}));

    none_waits.hear(a, reached(7));
    EXPECT_EQ(none_waits.hear(b, reached(7)).size(), 2U) << "both have passed it";
    none_waits.hear(a, reached(8, {{"x", "1"}}));
    EXPECT_EQ(none_waits.hear(b, reached(8)),
              (WorldOutbox{released(a, 8, {{"x", "1"}}), released(b, 8, {{"x", "1"}})}));

    EXPECT_EQ(at_first.hear(a, reached(0)), WorldOutbox{});
    EXPECT_EQ(at_first.hear(b, reached(0)).size(), 2U);
}

TEST(WorldServer, AHostThatWaitsWhereTheOtherWasReleasedGetsItsKeys) {
    for (const bool first : {true, false}) {
        TakenOver world;
        const auto ahead = [&] {
            EXPECT_EQ(world.hear(a, reached(4, {{"x", "1"}})).size(), first ? 0U : 2U);
            EXPECT_EQ(world.hear(a, reached(5, {{"z", "3"}})), WorldOutbox{});
        };
        if (first) ahead();
        EXPECT_EQ(world.hear(b, reached(3)), WorldOutbox{});
        const auto out = world.hear(b, reached(4, {{"y", "2"}}));
        if (first) {
            const Keys both{{"x", "1"}, {"y", "2"}};
            EXPECT_EQ(out, (WorldOutbox{released(a, 4, both), released(b, 4, both)}));
        } else {
            ahead();
        }
        EXPECT_EQ(world.hear(b, reached(5)),
                  (WorldOutbox{released(a, 5, {{"z", "3"}}), released(b, 5, {{"z", "3"}})}));
    }
}

TEST(WorldServer, AfterATakeoverHostsThatHaveLeftAreNotWaitedFor) {
    TakenOver world;
    world.hear(a, reached(2));
    EXPECT_EQ(world.hear(b, LeftBarriers{{{"y", "2"}}}),
              (WorldOutbox{released(a, 2, {{"y", "2"}})}));
    EXPECT_EQ(world.hear(a, reached(3)), (WorldOutbox{released(a, 3, {})}));
}

TEST(WorldServer, AfterATakeoverItKeepsThreeBarriersAtMost) {
    TakenOver world;
    for (int round = 10; round >= 0; --round) world.hear(a, reached(round));
    for (int round = 0; round < 8; ++round)
        EXPECT_EQ(world.hear(b, reached(round)), WorldOutbox{}) << round;
    EXPECT_EQ(world.hear(b, reached(10)), (WorldOutbox{released(a, 10, {}), released(b, 10, {})}));
}

TEST(WorldServer, TheGateIsReadyWhenAllHostsAre) {
    Asked world(Gate::shut);
    EXPECT_EQ(world.hear(a, GateReached{}), WorldOutbox{});
    EXPECT_EQ(world.release_gate(), WorldOutbox{}) << "not yet";
    EXPECT_EQ(world.hear(b, GateReached{}), WorldOutbox{GateReady{}});
    EXPECT_EQ(world.hear(b, GateReached{}), WorldOutbox{});
    EXPECT_EQ(world.release_gate(),
              (WorldOutbox{SendToHost{a, ReleaseGate{}}, SendToHost{b, ReleaseGate{}}}));
    EXPECT_EQ(world.release_gate(), WorldOutbox{});
    EXPECT_EQ(world.hear(b, GateLost{WorldRank{0}}), WorldOutbox{}) << "it was on its way";
    EXPECT_EQ(world.lose(b), WorldOutbox{});
}

TEST(WorldServer, TheGateFailsWithTheFirstRankOrHost) {
    for (const bool ready : {false, true}) {
        Asked by_rank(Gate::shut), by_host(Gate::shut);
        for (auto* world : {&by_rank, &by_host}) {
            world->hear(a, GateReached{});
            if (ready) world->hear(b, GateReached{});
        }
        EXPECT_EQ(by_rank.hear(b, GateLost{WorldRank{4}}), WorldOutbox{GateFailed{b}});
        EXPECT_EQ(by_rank.hear(b, GateLost{WorldRank{5}}), WorldOutbox{});
        EXPECT_EQ(by_rank.lose(a), WorldOutbox{});
        EXPECT_EQ(by_host.lose(b), WorldOutbox{GateFailed{b}});
        for (auto* world : {&by_rank, &by_host}) EXPECT_EQ(world->release_gate(), WorldOutbox{});
    }
}

TEST(WorldServer, NeedsAHost) {
    EXPECT_THROW(WorldServer({}, Gate::open), InputError);
}

RC_GTEST_PROP(WorldServer, TheOrderOfTheHostsDoesNotMatter, ()) {
    const auto any_keys = rc::gen::map(
        rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(
            rc::gen::element<std::string>("x", "y", "z"), rc::gen::element<std::string>("1", "2"))),
        [](const auto& pairs) { return Keys(pairs.begin(), pairs.end()); });
    const auto keys = *rc::gen::container<std::vector<Keys>>(3, any_keys);
    const auto run = [&](std::vector<int> order) {
        WorldServer world({HostIndex{0}, HostIndex{1}, HostIndex{2}}, Gate::open);
        WorldOutbox out;
        for (int host : order)
            world.on(HostIndex{host}, FromHost{reached(0, keys[static_cast<std::size_t>(host)])},
                     out);
        std::erase_if(out,
                      [](const auto& one) { return std::holds_alternative<KeyConflict>(one); });
        return out;
    };
    const auto first = run({0, 1, 2});
    RC_ASSERT(first.size() == 3U);
    for (const auto& order : {std::vector{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
        RC_ASSERT(run(order) == first);
}

TEST(NameTable, PublishesOnceAndForgetsWithTheWorld) {
    using answer::NameResult;
    const KvsName one(RandomBits{1, 1}), two(RandomBits{2, 2});
    NameTable names;
    EXPECT_EQ(names.publish(one, "s", "p"), NameResult::done);
    EXPECT_EQ(names.publish(two, "s", "q"), NameResult::refused);
    EXPECT_EQ(names.lookup("s"), "p");
    EXPECT_EQ(names.unpublish("t"), NameResult::refused);
    EXPECT_EQ(names.publish(two, "t", "q"), NameResult::done);
    names.forget(one);
    EXPECT_EQ(names.lookup("s"), std::nullopt);
    EXPECT_EQ(names.unpublish("t"), NameResult::done);
    EXPECT_EQ(names.lookup("t"), std::nullopt);
    for (std::size_t i = 0; i < limits::names; ++i)
        EXPECT_EQ(names.publish(one, std::to_string(i), "p"), NameResult::done);
    EXPECT_EQ(names.publish(one, "more", "p"), NameResult::refused);
}

TEST(Server, WorldsAreToldApartByName) {
    const KvsName one(RandomBits{1, 1}), two(RandomBits{2, 2});
    Server server;
    ServerOutbox out;
    server.add(one, {a, b}, Gate::open);
    server.add(two, {a, b}, Gate::shut);
    EXPECT_THROW(server.add(one, {a}, Gate::open), InputError);
    server.on(one, a, reached(0), out);
    server.on(two, b, reached(0), out);
    EXPECT_EQ(out, ServerOutbox{});
    server.on(one, b, reached(0), out);
    EXPECT_EQ(out, (ServerOutbox{{one, released(a, 0, {})}, {one, released(b, 0, {})}}));
    out.clear();
    server.on_host_lost(a, out);
    EXPECT_EQ(out, (ServerOutbox{{two, GateFailed{a}}, {two, released(b, 0, {})}}));
    EXPECT_EQ(server.names().publish(two, "s", "p"), answer::NameResult::done);
    out.clear();
    server.remove(two);
    server.on(two, b, reached(1), out);
    server.release_gate(two, out);
    EXPECT_EQ(out, ServerOutbox{});
    EXPECT_EQ(server.names().lookup("s"), std::nullopt);
}

}  // namespace
}  // namespace ductile::pmi::world_server_test
