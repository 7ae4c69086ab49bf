// The life of a group's part on a host: tables, and random sequences of events with a fake host.
#include "agent/group_life.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "core/overloaded.hpp"

namespace ductile::agent::group_life_test {
namespace {

using namespace std::chrono_literals;
namespace event = group_event;
namespace effect = group_effect;
using Process = LauncherState::Process;

/// A GroupLife with a clock, and the effects of its last event.
struct Bench {
    explicit Bench(std::size_t ranks, bool newcomers = false) : life(ranks, newcomers) {}

    Bench& on(const event::Any& what) {
        effects.clear();
        life.on(what, now, effects);
        return *this;
    }
    Bench& rank(Place place, const rank_event::Any& what) { return on(event::OfRank{place, what}); }
    Bench& start_all() {
        for (Place place = 0; place < life.ranks().size(); ++place)
            rank(place, rank_event::Started{});
        return *this;
    }
    Bench& launcher(const LauncherState& state) { return on(event::LauncherChanged{state}); }
    Bench& fire(GroupTimer which) { return on(event::TimerFired{which}); }

    template <class Effect>
    [[nodiscard]] int count() const {
        return static_cast<int>(std::ranges::count_if(
            effects, [](const auto& one) { return std::holds_alternative<Effect>(one); }));
    }
    template <class Effect>
    [[nodiscard]] const Effect* find() const {
        for (const auto& one : effects)
            if (const auto* found = std::get_if<Effect>(&one)) return found;
        return nullptr;
    }
    [[nodiscard]] bool arms(GroupTimer which) const {
        return std::ranges::any_of(effects, [which](const auto& one) {
            const auto* timer = std::get_if<effect::StartTimer>(&one);
            return timer != nullptr && timer->which == which;
        });
    }

    GroupLife life;
    Time now{1000s};
    GroupEffects effects;
};

const rank_event::Ended well{{0, 0, ""}};
const rank_event::Ended killed{{137, 9, "why"}};

LauncherState runs(bool stays = false) {
    LauncherState state;
    state.process = Process::runs;
    state.stays = stays;
    return state;
}

LauncherState ended() {
    LauncherState state;
    state.process = Process::ended;
    return state;
}

TEST(GroupLife, ItsEndIsReportedWhenAllRanksHaveEndedAndNothingIsLeft) {
    Bench group(2);
    group.start_all();
    EXPECT_EQ(group.rank(0, well).count<effect::ReportRankEnd>(), 1);
    EXPECT_EQ(group.count<effect::Look>(), 0);
    EXPECT_EQ(group.rank(1, well).count<effect::Look>(), 1);
    EXPECT_FALSE(group.life.has_ended());
    const auto* report = group.on(event::Looked{false}).find<effect::ReportEnd>();
    ASSERT_NE(report, nullptr);
    EXPECT_EQ(report->cause, GroupCause::none);
    EXPECT_TRUE(group.life.has_ended());
    EXPECT_TRUE(group.rank(0, killed).effects.empty()) << "nothing changes any more";
    EXPECT_TRUE(group.on(event::KillOrdered{}).effects.empty());
}

TEST(GroupLife, WhatRanksHaveLeftBehindHasAGrace) {
    Bench group(1);
    group.start_all().rank(0, well);
    group.now += 499ms;
    EXPECT_EQ(group.on(event::Looked{true}).count<effect::KillLeft>(), 0);
    EXPECT_TRUE(group.arms(GroupTimer::look));
    group.now += 1ms;
    EXPECT_EQ(group.fire(GroupTimer::look).count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{true}).count<effect::KillLeft>(), 1);
    EXPECT_TRUE(group.arms(GroupTimer::look));
    EXPECT_EQ(group.on(event::Looked{false}).count<effect::ReportEnd>(), 1);
}

TEST(GroupLife, KilledItGivesNoGraceAndWaitsForItsRanks) {
    Bench group(2);
    group.start_all().on(event::KillOrdered{});
    EXPECT_EQ(group.count<effect::KillAll>(), 1);
    EXPECT_EQ(group.count<effect::Look>(), 0);
    EXPECT_EQ(group.on(event::KillOrdered{}).count<effect::KillAll>(), 0) << "once is enough";
    group.rank(0, killed);
    EXPECT_EQ(group.count<effect::Look>(), 0);
    EXPECT_EQ(group.rank(1, killed).count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{true}).count<effect::KillLeft>(), 1);
}

TEST(GroupLife, RanksThatDoNotComeInTimeEndIt) {
    Bench group(2);
    group.on(event::RanksExpected{group.now + 60s});
    EXPECT_TRUE(group.arms(GroupTimer::start));
    group.rank(0, rank_event::Started{});
    EXPECT_EQ(group.fire(GroupTimer::start).count<effect::KillAll>(), 1);
    group.rank(0, killed);
    const auto* report = group.on(event::Looked{false}).find<effect::ReportEnd>();
    ASSERT_NE(report, nullptr);
    EXPECT_EQ(report->cause, GroupCause::late);

    Bench other(2);
    other.on(event::RanksExpected{other.now + 60s}).start_all();
    EXPECT_EQ(other.count<effect::StopTimer>(), 1);
    EXPECT_TRUE(other.fire(GroupTimer::start).effects.empty());
}

TEST(GroupLife, ServicesHearOfARankThatRanAlone) {
    Bench group(2);
    EXPECT_EQ(group.rank(0, rank_event::Started{}).count<effect::ServeStart>(), 1);
    EXPECT_EQ(group.rank(0, rank_event::Started{}).count<effect::ServeStart>(), 0);
    EXPECT_EQ(group.rank(0, well).count<effect::ServeEnd>(), 1);
    EXPECT_EQ(group.rank(0, well).count<effect::ReportRankEnd>(), 0);
    // Rank 1 could not be started. So no service hears of its end.
    EXPECT_EQ(group.rank(1, killed).count<effect::ServeEnd>(), 0);
    EXPECT_EQ(group.count<effect::ReportRankEnd>(), 1);
}

TEST(GroupLife, NewcomersWithoutABrokerEndUnlessTheyBecomeMembers) {
    Bench group(1, true);
    group.start_all().on(event::BrokerLost{group.now + 60s});
    EXPECT_TRUE(group.arms(GroupTimer::joined));
    EXPECT_EQ(group.fire(GroupTimer::joined).count<effect::KillAll>(), 1);

    Bench joined(1, true);
    joined.start_all().on(event::BrokerLost{joined.now + 60s}).on(event::Joined{});
    EXPECT_EQ(joined.count<effect::StopTimer>(), 1);
    EXPECT_TRUE(joined.fire(GroupTimer::joined).effects.empty());
    EXPECT_TRUE(joined.life.are_members());

    Bench back(1, true);
    back.start_all().on(event::BrokerLost{back.now + 60s}).on(event::BrokerBack{});
    EXPECT_TRUE(back.fire(GroupTimer::joined).effects.empty());

    Bench members(1);
    EXPECT_FALSE(members.start_all().on(event::BrokerLost{}).arms(GroupTimer::joined));
}

TEST(GroupLife, ALeaverHasItsTimeAndTheOthersGoOn) {
    Bench group(3);
    group.start_all().on(event::LeaveOrdered{{1}, group.now + 2s});
    EXPECT_EQ(group.count<effect::RankLeaves>(), 1);
    group.now += 1s;
    group.on(event::LeaveOrdered{{1, 2}, group.now + 2s});
    EXPECT_EQ(group.find<effect::RankLeaves>()->place, 2u);
    EXPECT_EQ(group.find<effect::StartTimer>()->at, group.now + 1s) << "1 has its first time";
    group.now += 1s;
    group.fire(GroupTimer::leave);
    EXPECT_EQ(group.count<effect::KillRank>(), 1);
    EXPECT_EQ(group.find<effect::KillRank>()->place, 1u);
    EXPECT_EQ(group.count<effect::KillAll>(), 0);
    group.rank(1, killed);
    EXPECT_FALSE(has_failed(group.life)) << "it was dismissed";
    group.rank(0, rank_event::Hello{}).rank(0, well);
    EXPECT_TRUE(has_failed(group.life)) << "no goodbye";
    group.now += 1s;
    EXPECT_EQ(group.fire(GroupTimer::leave).count<effect::KillAll>(), 1) << "nobody stays";
}

TEST(GroupLife, ALauncherHasTwoSecondsAfterItsRanks) {
    Bench group(1);
    group.launcher(runs()).start_all().rank(0, well);
    EXPECT_EQ(group.count<effect::Look>(), 0);
    EXPECT_TRUE(group.arms(GroupTimer::kill));
    EXPECT_EQ(group.fire(GroupTimer::kill).count<effect::KillAll>(), 1);
    EXPECT_EQ(group.launcher(ended()).count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{false}).find<effect::ReportEnd>()->cause, GroupCause::overdue);
}

TEST(GroupLife, ALauncherThatEndsFirstLeavesItsRanksAGrace) {
    Bench group(1);
    group.launcher(runs()).start_all().launcher(ended());
    EXPECT_EQ(group.count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{false}).count<effect::ReportEnd>(), 0) << "its rank runs";
    group.now += 500ms;
    EXPECT_EQ(group.on(event::Looked{true}).count<effect::KillLeft>(), 1);
    EXPECT_EQ(group.rank(0, killed).count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{false}).count<effect::ReportEnd>(), 1);
}

TEST(GroupLife, ALauncherThatIsNeededByOthersStays) {
    auto state = runs();
    state.is_needed = true;
    Bench group(2);
    group.launcher(state).start_all().on(event::EndOrdered{});
    EXPECT_EQ(group.count<effect::KillRank>(), 2);
    EXPECT_EQ(group.count<effect::KillAll>(), 0);
    EXPECT_TRUE(group.life.takes_no_ranks());
    group.rank(0, killed).rank(1, killed);
    EXPECT_FALSE(group.arms(GroupTimer::kill));
    state.is_needed = false;
    EXPECT_TRUE(group.launcher(state).arms(GroupTimer::kill));
    EXPECT_FALSE(has_failed(group.life));
}

TEST(GroupLife, ADaemonThatStaysDoesNotKeepItFromItsEnd) {
    auto state = runs(true);
    state.is_part = true;
    Bench group(2);
    group.on(event::RanksExpected{group.now + 60s}).launcher(state);
    group.rank(0, rank_event::Started{}).on(event::EndOrdered{});
    EXPECT_EQ(group.count<effect::KillRank>(), 1) << "the other has not come, and does not count";
    EXPECT_EQ(group.rank(0, killed).count<effect::Look>(), 1);
    EXPECT_EQ(group.on(event::Looked{false}).count<effect::ReportEnd>(), 1);
}

TEST(GroupLife, WithoutABrokerCompanionsAreReleasedOnce) {
    auto state = runs();
    state.holds_companions = true;
    state.others_ended = false;
    Bench group(1);
    group.launcher(state).start_all().rank(0, well);
    EXPECT_EQ(group.count<effect::ReleaseCompanions>(), 0);
    EXPECT_EQ(group.on(event::BrokerLost{}).count<effect::ReleaseCompanions>(), 1);
    state.holds_companions = false;
    state.others_ended = true;
    EXPECT_TRUE(group.launcher(state).arms(GroupTimer::kill));
    EXPECT_EQ(group.count<effect::ReleaseCompanions>(), 0);
}

TEST(RankLife, WhatCountsAsAFailure) {
    const struct {
        bool hello, goodbye, dismissed;
        int code;
        bool failed;
    } table[] = {
        {false, false, false, 0, false}, {false, false, false, 3, true},
        {true, false, false, 0, true},   {true, false, false, 3, true},
        {true, true, false, 0, false},   {true, true, false, 3, false},
        {true, false, true, 3, false},   {false, false, true, 3, false},
    };
    for (const auto& row : table) {
        RankLife rank;
        rank.on(rank_event::Started{});
        if (row.hello) rank.on(rank_event::Hello{});
        if (row.goodbye) rank.on(rank_event::Goodbye{});
        if (row.dismissed) rank.on(rank_event::Dismissed{});
        EXPECT_TRUE(rank.is_active() != row.goodbye);
        rank.on(rank_event::Ended{{row.code, 0, ""}});
        EXPECT_EQ(rank.has_failed(), row.failed)
            << row.hello << row.goodbye << row.dismissed << row.code;
        EXPECT_FALSE(rank.is_active());
    }
}

// Its goodbye was that of its Job. It may fail in a program that it has run since.
TEST(RankLife, AGoodbyeExcusesNoLaterProgram) {
    for (const int code : {0, 3}) {
        RankLife rank;
        rank.on(rank_event::Started{});
        rank.on(rank_event::Hello{});
        rank.on(rank_event::Goodbye{});
        rank.on(rank_event::Ended{{code, 0, "", true}});
        EXPECT_EQ(rank.has_failed(), code != 0);
    }
}

TEST(RankLife, AParkedRankIsNotActiveAndASpawnIsOverWhenItReturns) {
    RankLife rank;
    rank.on(rank_event::Started{});
    rank.on(rank_event::Parked{true});
    EXPECT_FALSE(rank.is_active());
    rank.on(rank_event::Parked{false});
    EXPECT_TRUE(rank.is_active());
    rank.on(rank_event::SpawnOrdered{core::GroupId{4}});
    rank.on(rank_event::SpawnOrdered{core::GroupId{5}});
    rank.on(rank_event::SpawnReturned{core::GroupId{4}});
    EXPECT_TRUE(rank.spawns());
    rank.on(rank_event::SpawnReturned{core::GroupId{5}});
    EXPECT_FALSE(rank.spawns());
}

/// A host that carries out the effects: some of them immediately, some in later steps of the test.
class Host {
  public:
    Host(std::size_t ranks, bool newcomers, bool launched, bool late)
        : life_(ranks, newcomers),
          launched_(launched),
          alive_(ranks),
          starts_(ranks),
          serve_starts_(ranks),
          serve_ends_(ranks),
          reports_(ranks) {
        if (launched) launcher_.process = Process::runs;
        if (late) tell(event::RanksExpected{now_ + 60s});
        tell_launcher();
    }

    /// Does the one thing that the number selects.
    void step(int number, std::size_t rank) {
        const Place place = rank % alive_.size();
        now_ += std::chrono::milliseconds(number % 700);
        switch (number % 14) {
            case 0:
            case 1:
            case 2:
                return start(place);
            case 3:
                return end(place, number % 3);
            case 4:
                return tell_of(place, rank_event::Hello{});
            case 5:
                return tell_of(place, rank_event::Goodbye{});
            case 6:
                return tell_of(place, rank_event::Parked{number % 2 == 0});
            case 7:
                return tell(event::LeaveOrdered{{place}, now_ + 2s});
            case 8:
                return tell(event::BrokerLost{now_ + 60s});
            case 9:
                return number % 2 == 0 ? tell(event::BrokerBack{}) : tell(event::Joined{});
            case 10:
                return number % 5 == 0 ? tell(event::EndOrdered{}) : fire_next();
            case 11:
                return number % 5 == 0 ? tell(event::KillOrdered{}) : fire_next();
            case 12:
                if (launched_ && number % 5 == 0) launcher_.process = Process::ended;
                return tell_launcher();
            default:
                if (!life_.has_ended()) strays_ += number % 2;
        }
    }
    /// Kills the group, and lets all killed processes end.
    void come_to_the_end() {
        tell(event::KillOrdered{});
        for (int i = 0; i < 1000 && !life_.has_ended(); ++i) {
            for (Place place = 0; place < alive_.size(); ++place)
                if (was_killed_) end(place, 137);
            if (launched_ && was_killed_ && launcher_.process == Process::runs) {
                launcher_.process = Process::ended;
                tell_launcher();
            }
            fire_next();
        }
    }
    void check() const {
        RC_ASSERT(life_.has_ended());
        RC_ASSERT(ends_ == 1);
        RC_ASSERT(strays_ == 0);
        for (Place place = 0; place < alive_.size(); ++place) {
            RC_ASSERT(!alive_[place]);
            RC_ASSERT(starts_[place] == serve_starts_[place]);
            RC_ASSERT(starts_[place] == serve_ends_[place]);
            RC_ASSERT(starts_[place] == reports_[place]);
        }
    }

  private:
    void start(Place place) {
        // As the agent: it starts no rank twice, and none when the group takes no more ranks.
        if (starts_[place] != 0 || life_.takes_no_ranks() || life_.has_ended()) return;
        alive_[place] = true;
        ++starts_[place];
        tell_of(place, rank_event::Started{});
    }
    void end(Place place, int code) {
        if (!alive_[place]) return;
        alive_[place] = false;
        tell_of(place, rank_event::Ended{{code, 0, ""}});
    }
    void tell_of(Place place, const rank_event::Any& what) { tell(event::OfRank{place, what}); }
    void tell_launcher() { tell(event::LauncherChanged{launcher_}); }
    void fire_next() {
        if (timers_.empty()) return;
        const auto next =
            std::ranges::min_element(timers_, {}, [](const auto& timer) { return timer.second; });
        const auto which = next->first;
        now_ = std::max(now_, next->second);
        timers_.erase(next);
        tell(event::TimerFired{which});
    }
    void tell(const event::Any& what) {
        GroupEffects effects;
        life_.on(what, now_, effects);
        for (const auto& one : effects) carry_out(one);
    }
    void carry_out(const effect::Any& one) {
        std::visit(core::Overloaded{
                       [&](const effect::StartTimer& timer) { timers_[timer.which] = timer.at; },
                       [&](const effect::StopTimer& timer) { timers_.erase(timer.which); },
                       [&](const effect::ServeStart& what) { ++serve_starts_[what.place]; },
                       [&](const effect::ServeEnd& what) { ++serve_ends_[what.place]; },
                       [&](const effect::ReportRankEnd& what) { ++reports_[what.place]; },
                       [&](const effect::KillAll&) { was_killed_ = true; },
                       [&](const effect::Look&) { tell(event::Looked{strays_ > 0}); },
                       [&](const effect::KillLeft&) { strays_ = std::max(strays_ - 1, 0); },
                       [&](const effect::ReportEnd&) { ++ends_; },
                       [](const auto&) {},
                   },
                   one);
    }

    GroupLife life_;
    bool launched_;
    LauncherState launcher_;
    Time now_{1000s};
    std::vector<bool> alive_;
    std::vector<int> starts_, serve_starts_, serve_ends_, reports_;
    std::map<GroupTimer, Time> timers_;
    int strays_ = 0, ends_ = 0;
    bool was_killed_ = false;
};

RC_GTEST_PROP(GroupLifeProperty, WhateverHappensEachRankIsStartedServedAndReportedOnce,
              (bool newcomers, bool launched, bool late)) {
    const auto ranks = *rc::gen::inRange<std::size_t>(1, 5);
    Host host(ranks, newcomers, launched, late);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(
        rc::gen::pair(rc::gen::inRange(0, 100000), rc::gen::inRange<std::size_t>(0, 5)));
    for (const auto& [number, rank] : steps) host.step(number, rank);
    host.come_to_the_end();
    host.check();
}

}  // namespace
}  // namespace ductile::agent::group_life_test
