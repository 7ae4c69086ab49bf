// The paths through a resize, and what each unexpected event does to it.
#include "resize/resize_operation.hpp"

#include <gtest/gtest.h>

#include "resize_fixture.hpp"

namespace ductile::resize::resize_operation_test {
namespace {

using plan::Overlap;
using plan::Start;

std::string state_of(const Driver& driver) {
    return to_text(driver.operation.state());
}

/// The sources answer, and stop at point 8.
void agree(Driver& driver, int attempt = 1) {
    const auto before = driver.operation.plan().before;
    for (int i = 0; i < before.size(); ++i)
        driver.tell(PointAnswered{before.at(core::Rank{i}), attempt, 7 - i, false});
}

void join_one_group(Driver& driver) {
    driver.tell(RankUp{process(1)});
    driver.tell(PortOpened{process(0), "port"});
    driver.tell(GroupReady{core::GroupId{1}, 1, {}, {}});
    driver.tell(Formed{process(1)});
    driver.tell(ConnectStarting{process(1)});
    driver.tell(Bridged{process(0), true, "", false});
    driver.tell(Bridged{process(1), true, "", false});
}

void report(Driver& driver, bool committed, const std::string& why = "") {
    const auto before = driver.operation.plan().before;
    for (int i = 0; i < before.size(); ++i) {
        SwitchDone done{before.at(core::Rank{i}), {}};
        done.report.committed = committed;
        done.report.why = why;
        driver.tell(done);
    }
}

TEST(ResizeOperation, GrowsInTheBackground) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    EXPECT_EQ(count<StartGroups>(driver.tell(Begin{})), 1);
    EXPECT_EQ(state_of(driver), "starting");
    join_one_group(driver);
    EXPECT_EQ(state_of(driver), "asking");
    agree(driver);
    EXPECT_EQ(state_of(driver), "waiting");
    ASSERT_NE(first<TellDecision>(driver.all), nullptr);
    EXPECT_EQ(first<TellDecision>(driver.all)->point, 8);
    EXPECT_EQ(count<TellJoin>(driver.tell(Arrived{process(0)})), 1);
    EXPECT_EQ(state_of(driver), "switching");
    report(driver, true);
    EXPECT_EQ(count<Commit>(driver.all), 1);
    ASSERT_EQ(count<Finished>(driver.all), 1);
    EXPECT_TRUE(first<Finished>(driver.all)->committed);
    EXPECT_TRUE(driver.operation.is_over());
}

void join_sources(Driver& driver, bool ok = true) {
    for (const int rank : {0, 1})
        driver.tell(SourceJoined{process(0, rank), ok, ok ? "" : "why", false});
}

TEST(ResizeOperation, JoinsInTheBackgroundBeforeItAsksForThePoint) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    EXPECT_EQ(state_of(driver), "joining");
    ASSERT_EQ(count<TellJoin>(driver.all), 1);
    EXPECT_TRUE(first<TellJoin>(driver.all)->background);
    driver.tell(SourceJoined{process(0, 1), true, "", false});
    EXPECT_EQ(state_of(driver), "joining") << "the other source is still in it";
    EXPECT_EQ(count<TellPrepare>(driver.all), 0);
    driver.tell(SourceJoined{process(0, 0), true, "", false});
    EXPECT_EQ(state_of(driver), "asking");
    agree(driver);
    EXPECT_EQ(count<TellAtPoint>(driver.tell(Arrived{process(0)})), 1);
    EXPECT_EQ(count<TellJoin>(driver.all), 1) << "they are joined already";
    report(driver, true);
    EXPECT_TRUE(driver.operation.is_committed());
    EXPECT_EQ(count<TellSkipFinalize>(driver.all), 0);
}

TEST(ResizeOperation, AJoinThatGetsOnIsWaitedFor) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    EXPECT_EQ(count<ArmTimer>(driver.tell(Progressed{process(0, 1)})), 1);
    EXPECT_EQ(count<ArmTimer>(driver.tell(Progressed{process(9)})), 0) << "a stranger";
    join_sources(driver);
    EXPECT_EQ(count<ArmTimer>(driver.tell(Progressed{process(0)})), 0) << "it is over";
}

TEST(ResizeOperation, ABlockingResizeJoinsAtThePoint) {
    auto plan = growth_joined_early(1, Start::launch);
    plan.strategy.overlap = Overlap::blocking;
    Driver driver(plan);
    driver.tell(Begin{});
    agree(driver);
    driver.tell(Arrived{process(0)});
    join_one_group(driver);
    ASSERT_EQ(count<TellJoin>(driver.all), 1);
    EXPECT_FALSE(first<TellJoin>(driver.all)->background);
}

TEST(ResizeOperation, AJoinThatLosesItsNewcomersIsLeftBeforeItIsRolledBack) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    const auto then = driver.tell(NewcomerLost{"it has died", 9});
    EXPECT_EQ(count<TellAbandon>(then), 1);
    EXPECT_EQ(count<KillGroup>(then), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_FALSE(driver.operation.is_over()) << "helpers are still in MPI";
    join_sources(driver, false);
    ASSERT_TRUE(driver.operation.is_over());
    EXPECT_EQ(first<Finished>(driver.all)->why, "it has died");
    EXPECT_EQ(count<TellDecision>(driver.all), 0) << "no source was asked";
    EXPECT_EQ(count<TellSkipFinalize>(driver.all), 1);
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::good);
}

TEST(ResizeOperation, AHelperThatStaysInTheJoinDegradesTheJob) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    driver.tell(NewcomerLost{"it has died", 9});
    driver.tell(GroupGone{core::GroupId{1}});
    driver.tell(SourceJoined{process(0, 0), false, "why", false});
    driver.tell(TimerFired{Timer::newcomers_end});
    ASSERT_TRUE(driver.operation.is_over());
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::helper);
}

TEST(ResizeOperation, AJoinThatASourceCannotMakeIsRolledBack) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    const auto then = driver.tell(SourceJoined{process(0, 0), false, "why", true});
    EXPECT_EQ(count<TellAbandon>(then), 1) << "the other one may wait for it";
    driver.tell(SourceJoined{process(0, 1), false, "given up", false});
    driver.tell(GroupGone{core::GroupId{1}});
    ASSERT_TRUE(driver.operation.is_over());
    EXPECT_NE(first<Finished>(driver.all)->why.find("rank g0.0"), std::string::npos);
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::helper);
}

// A join that is cut short would leave helper threads inside MPI.
TEST(ResizeOperation, AJoinThatIsCalledOffComesToItsEndFirst) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    const auto then = driver.tell(CallOff{"cancelled"});
    EXPECT_EQ(count<KillGroup>(then), 0);
    EXPECT_EQ(count<TellAbandon>(then), 0);
    join_sources(driver);
    EXPECT_EQ(count<KillGroup>(driver.all), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::good);
}

TEST(ResizeOperation, AJoinThatIsCalledOffAndDoesNotEndIsCutShort) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    driver.tell(CallOff{"cancelled"});
    const auto late = driver.tell(TimerFired{Timer::newcomers_end});
    EXPECT_EQ(count<TellAbandon>(late), 1);
    EXPECT_EQ(count<KillGroup>(late), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    join_sources(driver, false);
    EXPECT_TRUE(driver.operation.is_over());
}

TEST(ResizeOperation, AnotherBrokerFindsNoPendingJoin) {
    Driver driver(growth_joined_early(1, Start::launch));
    driver.tell(Begin{});
    join_one_group(driver);
    const auto then = driver.tell(TakenOver{false, false, {core::GroupId{1}}});
    EXPECT_EQ(count<KillGroup>(then), 1);
    EXPECT_EQ(count<TellSkipFinalize>(then), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
}

TEST(ResizeOperation, GrowsWhileTheProgramWaits) {
    Driver driver(growth(1, Start::launch, Overlap::blocking));
    EXPECT_EQ(count<StartGroups>(driver.tell(Begin{})), 0);
    agree(driver);
    EXPECT_EQ(count<StartGroups>(driver.tell(Arrived{process(0)})), 1);
    EXPECT_EQ(state_of(driver), "starting");
    join_one_group(driver);
    EXPECT_EQ(count<TellProceed>(driver.all), 1);
    EXPECT_EQ(state_of(driver), "switching");
    report(driver, true);
    EXPECT_TRUE(driver.operation.is_committed());
}

TEST(ResizeOperation, Shrinks) {
    Driver driver(shrink());
    driver.tell(Begin{});
    agree(driver);
    driver.tell(Arrived{process(0)});
    report(driver, true);
    EXPECT_EQ(count<StartGroups>(driver.all), 0);
    EXPECT_EQ(count<TellExitPermitted>(driver.all), 1);
    EXPECT_TRUE(driver.operation.is_committed());
}

TEST(ResizeOperation, StartsAJobWithoutAskingAnybody) {
    Driver driver(start_of_job());
    EXPECT_EQ(count<StartGroups>(driver.tell(Begin{})), 1);
    EXPECT_EQ(count<ArmTimer>(driver.all), 0) << "a program may take as long as it likes";
    EXPECT_FALSE(driver.operation.is_added(core::GroupId{0})) << "their death is the job's";
    for (const int rank : {0, 1}) driver.tell(RankUp{process(0, rank)});
    driver.tell(GroupReady{core::GroupId{0}, 2, {}, {}});
    driver.tell(Formed{process(0)});
    EXPECT_EQ(count<Commit>(driver.all), 1);
    EXPECT_TRUE(driver.operation.is_committed());
}

// A message to a rank is lost if its agent is not connected yet.
TEST(ResizeOperation, ToldThatTheyAreMembersAreRanksThatAreUp) {
    Driver driver(start_of_job());
    driver.tell(Begin{});
    driver.tell(RankUp{process(0, 0)});
    driver.tell(GroupReady{core::GroupId{0}, 2, {}, {}});
    driver.tell(Formed{process(0)});
    EXPECT_EQ(count<Commit>(driver.all), 0) << "the second rank's host has not been heard of";
    EXPECT_EQ(count<Commit>(driver.tell(RankUp{process(0, 1)})), 1);
}

// Otherwise the newcomers would be started twice.
TEST(ResizeOperation, RankZeroArrivesOnce) {
    Driver driver(growth(1, Start::launch, Overlap::blocking));
    driver.tell(Begin{});
    EXPECT_TRUE(driver.tell(Arrived{process(0)}).empty()) << "before there is a point";
    agree(driver);
    driver.tell(Arrived{process(0)});
    EXPECT_TRUE(driver.tell(Arrived{process(0)}).empty());
    join_one_group(driver);
    EXPECT_TRUE(driver.tell(Arrived{process(0)}).empty());
    EXPECT_EQ(count<StartGroups>(driver.all), 1);
}

TEST(ResizeOperation, IsRolledBackWhenANewcomerIsLost) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    driver.tell(RankUp{process(1)});
    driver.tell(ProcessEnded{process(1), "rank g1.0 has ended", 9});
    EXPECT_EQ(state_of(driver), "rolling back");
    EXPECT_EQ(count<KillGroup>(driver.all), 1);
    EXPECT_EQ(count<Finished>(driver.all), 0) << "something of it may be left";
    driver.tell(GroupGone{core::GroupId{1}});
    ASSERT_EQ(count<Finished>(driver.all), 1);
    EXPECT_FALSE(first<Finished>(driver.all)->committed);
    EXPECT_EQ(first<Finished>(driver.all)->why, "rank g1.0 has ended");
}

TEST(ResizeOperation, VotesDecideOnceThePointIsAnnounced) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    join_one_group(driver);
    agree(driver);
    const auto effects = driver.tell(NewcomerLost{"host node1 is lost", 125});
    EXPECT_EQ(count<TellAbandon>(effects), 1);
    EXPECT_EQ(count<AnswerEarly>(effects), 1) << "who asked need not wait for the point";
    EXPECT_EQ(state_of(driver), "waiting");
    driver.tell(Arrived{process(0)});
    driver.tell(GroupGone{core::GroupId{1}});
    report(driver, false);
    EXPECT_EQ(first<Finished>(driver.all)->why, "host node1 is lost");
}

TEST(ResizeOperation, EndsTheJobWhenTheProgramAgreedToALostNewcomer) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    join_one_group(driver);
    agree(driver);
    driver.tell(Arrived{process(0)});
    driver.tell(NewcomerLost{"host node1 is lost", 125});
    report(driver, true);
    ASSERT_GE(count<EndJob>(driver.all), 1);
    EXPECT_EQ(first<EndJob>(driver.all)->code, 125);
}

// If one leader is killed in the milliseconds of accept and connect, the other leader might never
// return.
TEST(ResizeOperation, WaitsForTheLeadersBeforeItEndsNewcomers) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    driver.tell(RankUp{process(1)});
    driver.tell(PortOpened{process(0), "port"});
    driver.tell(ConnectStarting{process(1)});
    auto effects = driver.tell(CallOff{"cancelled"});
    EXPECT_EQ(count<KillGroup>(effects), 0);
    effects = driver.tell(TimerFired{Timer::accept});
    EXPECT_EQ(count<ConnectAndAbort>(effects), 1);
    EXPECT_EQ(count<KillGroup>(effects), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_EQ(count<Finished>(driver.all), 0) << "the leader is still in its accept";
    driver.tell(Bridged{process(0), false, "abandoned", false});
    EXPECT_EQ(count<Finished>(driver.all), 1);
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::good);
}

TEST(ResizeOperation, AnAcceptThatCannotBeEndedLeavesTheJobDegraded) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    driver.tell(RankUp{process(1)});
    driver.tell(PortOpened{process(0), "port"});
    driver.tell(ConnectStarting{process(1)});
    driver.tell(TimerFired{Timer::accept});
    driver.tell(TimerFired{Timer::accept});
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
    EXPECT_EQ(driver.operation.health_after(Health::good), Health::final);
}

TEST(ResizeOperation, AsksAgainWhenARankDoesNotAnswer) {
    Driver driver(shrink());
    driver.tell(Begin{});
    driver.tell(PointAnswered{process(0), 1, 3, false});
    EXPECT_EQ(first<TellDecision>(driver.tell(TimerFired{Timer::phase}))->point, 0);
    EXPECT_EQ(first<TellPrepare>(driver.tell(TimerFired{Timer::phase}))->attempt, 2);
    driver.tell(PointAnswered{process(1), 1, 3, false});
    agree(driver, 2);
    EXPECT_EQ(state_of(driver), "waiting");
}

// If the sources were armed earlier, those that have prepared would stop at their next point until
// the last source has prepared.
TEST(ResizeOperation, AsksWhenNoSourcePreparesAnyMore) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    driver.tell(Progressed{process(0, 0), Work::prepares});
    driver.tell(Progressed{process(0, 1), Work::prepares});
    driver.tell(Progressed{process(0, 0), Work::has_prepared});
    join_one_group(driver);
    EXPECT_EQ(count<TellPrepare>(driver.all), 0);
    EXPECT_EQ(driver.operation.phase(), "preparing");
    EXPECT_EQ(count<TellPrepare>(driver.tell(TimerFired{Timer::phase})), 0);
    EXPECT_EQ(count<TellPrepare>(driver.tell(Progressed{process(0, 1), Work::has_prepared})), 1);
    EXPECT_EQ(driver.operation.phase(), "asking");
    agree(driver);
    EXPECT_EQ(state_of(driver), "waiting");
}

TEST(ResizeOperation, SaysThatNewRanksPrepare) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    driver.tell(Begin{});
    driver.tell(RankUp{process(1)});
    driver.tell(GroupReady{core::GroupId{1}, 1, {}, {}});
    EXPECT_EQ(driver.operation.phase(), "connecting");
    driver.tell(Progressed{process(1), Work::prepares});
    EXPECT_EQ(driver.operation.phase(), "preparing");
    driver.tell(TimerFired{Timer::switch_within});
    driver.tell(GroupGone{core::GroupId{1}});
    ASSERT_TRUE(driver.operation.is_over());
    EXPECT_EQ(first<Finished>(driver.all)->why,
              "the program's on_prepare function has not ended on rank g1.0 within "
              "--switch-within");
}

TEST(ResizeOperation, TakesTheQuestionBackFromRanksWhileOthersPrepare) {
    for (const auto& plan : {shrink(), growth(1, Start::launch, Overlap::blocking)}) {
        const auto slow = plan.before.at(core::Rank{1});
        Driver driver(plan);
        driver.tell(Begin{});
        driver.tell(PointAnswered{process(0), 1, 3, false});
        const auto effects = driver.tell(Progressed{slow, Work::prepares});
        ASSERT_EQ(count<TellDecision>(effects), 1);
        EXPECT_EQ(first<TellDecision>(effects)->point, 0);
        EXPECT_EQ(count<DisarmTimer>(effects), 1) << "nothing is asked for a while";
        EXPECT_TRUE(driver.tell(Progressed{slow, Work::prepares}).empty());
        const auto again = driver.tell(Progressed{slow, Work::has_prepared});
        ASSERT_EQ(count<TellPrepare>(again), 1);
        EXPECT_EQ(first<TellPrepare>(again)->attempt, 2);
        agree(driver, 2);
        EXPECT_EQ(state_of(driver), "waiting");
    }
}

TEST(ResizeOperation, IsCalledOffWhileTheProgramPrepares) {
    const std::vector<std::pair<Event, std::string>> rows{
        {CallOff{"rank g0.1: the disk is full"}, "rank g0.1: the disk is full"},
        {NewcomerLost{"host node1 is lost", 125}, "host node1 is lost"},
        {TimerFired{Timer::switch_within},
         "the program's on_prepare function has not ended on rank g0.1 within "
         "--switch-within"},
        {ProgramEnding{false}, "the program has ended"}};
    for (const auto& [event, why] : rows) {
        Driver driver(growth(1, Start::launch, Overlap::background));
        driver.tell(Begin{});
        driver.tell(Progressed{process(0, 1), Work::prepares});
        join_one_group(driver);
        driver.tell(event);
        driver.tell(GroupGone{core::GroupId{1}});
        ASSERT_TRUE(driver.operation.is_over()) << why;
        EXPECT_EQ(first<Finished>(driver.all)->why, why);
        EXPECT_TRUE(driver.tell(Progressed{process(0, 1), Work::has_prepared}).empty());
    }
}

/// Plays a resize up to where the program moves its own data. All sources have moved their data. A
/// new rank has not.
void begin_own_moves(Driver& driver) {
    driver.tell(Begin{});
    if (!driver.operation.plan().added.empty()) join_one_group(driver);
    agree(driver);
    driver.tell(Arrived{process(0)});
    const auto before = driver.operation.plan().before;
    const auto effects = driver.tell(Progressed{before.at(core::Rank{0}), Work::moves});
    ASSERT_EQ(count<ArmTimer>(effects), 1);
    EXPECT_EQ(first<ArmTimer>(effects)->timer, Timer::own_moves);
    EXPECT_EQ(first<ArmTimer>(effects)->after.count(), 600);
    for (int i = 0; i < before.size(); ++i)
        for (const bool on : {true, false})
            EXPECT_TRUE(
                driver
                    .tell(Progressed{before.at(core::Rank{i}), on ? Work::moves : Work::has_moved})
                    .empty());
}

/// A growth with tight memory, up to where rank 0 is on its way to the point.
Driver tight_growth() {
    auto plan = growth(1, Start::launch, Overlap::background);
    plan.strategy.memory = plan::Memory::tight;
    Driver driver(plan);
    driver.tell(Begin{});
    join_one_group(driver);
    agree(driver);
    return driver;
}

// The sources may have committed: they wait for data that nobody else has.
TEST(ResizeOperation, IsNotCalledOffOnceDataMayMoveThatCannotComeBack) {
    auto driver = tight_growth();
    EXPECT_FALSE(driver.operation.is_certain());
    driver.tell(Arrived{process(0)});
    EXPECT_TRUE(driver.operation.is_certain());
    EXPECT_TRUE(driver.tell(CallOff{"cancelled"}).empty());
    EXPECT_EQ(state_of(driver), "switching");
    Driver lost = driver;
    EXPECT_EQ(count<TellAbandon>(lost.tell(NewcomerLost{"host node1 is lost", 125})), 1);
    EXPECT_EQ(count<EndJob>(lost.tell(Progressed{process(0), Work::commits})), 1);
    EXPECT_TRUE(driver.tell(Progressed{process(1), Work::commits}).empty()) << "not rank 0";
    EXPECT_EQ(count<Commit>(driver.tell(Progressed{process(0), Work::commits})), 1);
    EXPECT_TRUE(driver.operation.is_committed());
    EXPECT_TRUE(driver.tell(Progressed{process(0), Work::commits}).empty()) << "once";
    EXPECT_TRUE(driver.tell(NewcomerLost{"host node1 is lost", 125}).empty()) << "a member's death";
    report(driver, true);
    EXPECT_EQ(count<Commit>(driver.all), 1);
    EXPECT_EQ(count<Finished>(driver.all), 1);
    Driver keeps(growth(1, Start::launch, Overlap::background));
    keeps.tell(Begin{});
    join_one_group(keeps);
    agree(keeps);
    keeps.tell(Arrived{process(0)});
    EXPECT_TRUE(keeps.tell(Progressed{process(0), Work::commits}).empty());
    EXPECT_EQ(count<TellAbandon>(keeps.tell(CallOff{"cancelled"})), 1);
}

TEST(ResizeOperation, GivesAnExpandUpWhoseOwnMoveDoesNotEnd) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    begin_own_moves(driver);
    driver.tell(TimerFired{Timer::own_moves});
    ASSERT_EQ(count<TellAbandon>(driver.all), 1);
    EXPECT_EQ(
        first<TellAbandon>(driver.all)->why,
        "the program's function that moves its own data has not ended on rank g1.0 within 600 s "
        "(--redistribute-within)");
    report(driver, false);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
    EXPECT_FALSE(driver.operation.is_committed());
}

TEST(ResizeOperation, EndsTheJobWhoseOwnMoveDoesNotEndAtAShrink) {
    Driver driver(shrink());
    driver.tell(Begin{});
    agree(driver);
    driver.tell(Arrived{process(0)});
    driver.tell(Progressed{process(2), Work::moves});
    driver.tell(Progressed{process(2), Work::has_moved});
    driver.tell(TimerFired{Timer::own_moves});
    ASSERT_EQ(count<EndJob>(driver.all), 1);
    EXPECT_EQ(first<EndJob>(driver.all)->why,
              "the program's function that moves its own data has not ended on ranks g0.0, g1.0 "
              "within 600 s (--redistribute-within), and the resize is certain already; the job "
              "is ended");
}

TEST(ResizeOperation, EndsTheJobWhoseOwnMoveDoesNotEndWithTightMemory) {
    auto driver = tight_growth();
    driver.tell(Arrived{process(0)});
    driver.tell(Progressed{process(1), Work::moves});
    EXPECT_EQ(count<EndJob>(driver.tell(TimerFired{Timer::own_moves})), 1);
}

// The report of the new rank may arrive before the report of rank 0.
TEST(ResizeOperation, EndsTheJobWhenTheProgramFailsOnARankAfterTheCommit) {
    for (const bool heard : {false, true}) {
        auto driver = tight_growth();
        driver.tell(Arrived{process(0)});
        if (heard) driver.tell(Progressed{process(0), Work::commits});
        const auto effects = driver.tell(RankFailed{process(1), "no memory"});
        EXPECT_EQ(effects.size(), 1U);
        const auto* end = first<EndJob>(effects);
        ASSERT_NE(end, nullptr);
        EXPECT_EQ(end->code, code_lost);
        EXPECT_EQ(end->why,
                  "rank g1.0: no memory, and the resize is certain already; the job is ended");
    }
}

TEST(ResizeOperation, IsGivenUpWhenTheProgramFailsOnARankBeforeTheCommit) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    begin_own_moves(driver);
    const auto effects = driver.tell(RankFailed{process(0, 1), "no memory"});
    const auto* abandon = first<TellAbandon>(effects);
    ASSERT_NE(abandon, nullptr);
    EXPECT_EQ(abandon->why, "rank g0.1: no memory");
}

// Without new ranks, and with tight memory, the program moves its data after the commit. The report
// of the failure may arrive before rank 0 arrives at the point, or after an attempt to call the
// resize off that came too late.
TEST(ResizeOperation, EndsTheJobWhenTheProgramFailsOnASourceThatMovesAfterTheCommit) {
    auto tight = growth(1, Start::launch, Overlap::background);
    tight.strategy.memory = plan::Memory::tight;
    const std::pair<ResizePlan, core::Process> failures[] = {{shrink(), process(0)},
                                                             {parking(), process(0)},
                                                             {unparking(), process(0)},
                                                             {unparking(), process(1)},
                                                             {tight, process(0, 1)}};
    const std::vector<Event> ways[] = {{}, {Arrived{process(0)}}, {CallOff{"cancelled"}}};
    for (const auto& [plan, who] : failures)
        for (const auto& way : ways) {
            Driver driver(plan);
            driver.tell(Begin{});
            if (!plan.added.empty()) join_one_group(driver);
            agree(driver);
            for (const auto& event : way) driver.tell(event);
            const auto effects = driver.tell(RankFailed{who, "no memory"});
            ASSERT_EQ(effects.size(), 1U);
            const auto* end = first<EndJob>(effects);
            ASSERT_NE(end, nullptr);
            EXPECT_EQ(end->why, "rank " + core::to_string(who) +
                                    ": no memory, and the resize is certain already; the job is "
                                    "ended");
        }
}

// The program fails in its preparation, before a point is announced.
TEST(ResizeOperation, IsRolledBackWhenTheProgramFailsBeforeTheAnnouncement) {
    Driver driver(shrink());
    driver.tell(Begin{});
    const auto effects = driver.tell(RankFailed{process(0), "no memory"});
    ASSERT_EQ(count<Finished>(effects), 1);
    EXPECT_EQ(first<Finished>(effects)->why, "rank g0.0: no memory");
}

TEST(ResizeOperation, WaitsForOwnMovesThatHaveEndedNoLonger) {
    Driver driver(growth(1, Start::launch, Overlap::background));
    begin_own_moves(driver);
    driver.tell(Progressed{process(1), Work::has_moved});
    EXPECT_TRUE(driver.tell(TimerFired{Timer::own_moves}).empty());
    auto endless = growth(1, Start::launch, Overlap::background);
    endless.times.limits.own_moves_s = 0;
    Driver other(endless);
    other.tell(Begin{});
    join_one_group(other);
    agree(other);
    other.tell(Arrived{process(0)});
    EXPECT_TRUE(other.tell(Progressed{process(0), Work::moves}).empty()) << "0 is no limit";
}

TEST(ResizeOperation, DoesNothingThatTheJournalDoesNotHave) {
    for (const auto overlap : {Overlap::background, Overlap::blocking}) {
        Driver driver(growth(1, Start::launch, overlap));
        driver.journal_fails = true;
        driver.tell(Begin{});
        EXPECT_EQ(count<StartGroups>(driver.all), 0);
        EXPECT_EQ(count<TellPrepare>(driver.all), 0);
        EXPECT_EQ(first<Finished>(driver.all)->why, "the disk is full");
    }
    Driver driver(shrink());
    driver.tell(Begin{});
    driver.journal_fails = true;
    agree(driver);
    EXPECT_EQ(first<TellDecision>(driver.all)->point, 0) << "the question is called off";
    EXPECT_TRUE(driver.operation.is_over());
}

TEST(ResizeOperation, RanksStartGroupsOnceEachHostIsPrepared) {
    Driver driver(growth(3, Start::hypercube, Overlap::background));
    driver.tell(Begin{});
    driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
    driver.tell(HostPrepared{core::HostIndex{2}, core::GroupId{2}});
    EXPECT_EQ(count<TellSpawn>(driver.all), 0);
    driver.tell(HostPrepared{core::HostIndex{3}, core::GroupId{3}});
    EXPECT_EQ(count<TellSpawn>(driver.all), 3);
    const auto effects =
        driver.tell(SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}});
    EXPECT_EQ(count<ReleaseGroup>(effects), 1);
    EXPECT_FALSE(
        first<AnswerSpawn>(driver.tell(SpawnAsked{
                               core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}}))
            ->ok)
        << "twice";
    EXPECT_TRUE(first<AnswerSpawn>(driver.tell(GateReached{core::GroupId{1}}))->ok);
}

// For some milliseconds after the answer to its spawn, the parent is in an accept and holds the
// lock of MPI. If the new ranks are lost then, an abort connector ends the accept.
TEST(ResizeOperation, HelpsWhoAcceptsRanksThatAreLost) {
    Driver driver(growth(1, Start::single, Overlap::background));
    driver.tell(Begin{});
    driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
    driver.tell(SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}});
    driver.tell(GateReached{core::GroupId{1}});
    const auto effects = driver.tell(ProcessEnded{process(1), "rank g1.0 has ended", 0});
    ASSERT_EQ(count<ConnectAndAbort>(effects), 1);
    EXPECT_EQ(first<ConnectAndAbort>(effects)->port, "port");
    EXPECT_EQ(first<ConnectAndAbort>(effects)->host, core::HostIndex{0});
    EXPECT_EQ(state_of(driver), "rolling back");
    driver.tell(SpawnReturned{process(0), core::GroupId{1}, false, "no", 0.1});
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
}

/// Up to where rank 0 is inside MPI_Comm_spawn for two ranks, which have come up.
Driver spawn_in_progress(Start start) {
    Driver driver(growth(1, start, Overlap::background, 2));
    driver.tell(Begin{});
    EXPECT_TRUE(driver.tell(ReadyToMerge{process(1)}).empty()) << "before anybody may start them";
    driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
    driver.tell(SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 2, "port", {}});
    driver.tell(GateReached{core::GroupId{1}});
    return driver;
}

TEST(ResizeOperation, WhoStartedTheNewRanksMergesWithThemWhenTheirFirstRankIsReady) {
    const std::vector<std::pair<Start, std::vector<core::Process>>> rows{
        {Start::single, {process(0)}},
        {Start::collective, {process(0), process(0, 1)}},
        {Start::hypercube, {}}};
    for (const auto& [start, starters] : rows) {
        auto driver = spawn_in_progress(start);
        for (const auto& other : {process(9), process(1, 1), process(0)})
            EXPECT_TRUE(driver.tell(ReadyToMerge{other}).empty()) << core::to_string(other);
        auto called_off = driver;
        called_off.tell(CallOff{"cancelled"});
        EXPECT_TRUE(called_off.tell(ReadyToMerge{process(1)}).empty()) << "too late";
        const auto effects = driver.tell(ReadyToMerge{process(1)});
        ASSERT_EQ(count<TellMerge>(effects), starters.empty() ? 0 : 1);
        if (const auto* merge = first<TellMerge>(effects)) {
            EXPECT_EQ(merge->starters, starters);
        }
        EXPECT_TRUE(driver.tell(ReadyToMerge{process(1)}).empty()) << "twice";
    }
}

/// Reports all hosts as prepared, so that the groups are started. Returns the effects of the last
/// report.
Effects order_spawns(Driver& driver) {
    driver.tell(Begin{});
    Effects last;
    for (const auto& group : driver.operation.plan().added)
        last = driver.tell(HostPrepared{group.host, group.id});
    return last;
}

TEST(ResizeOperation, WhoStartsGroupsSharesTheirPortsAfterTheLastSpawn) {
    auto plan = growth(5, Start::hypercube, Overlap::background);
    Driver by_broker(plan);
    EXPECT_EQ(count<TellSharePorts>(order_spawns(by_broker)), 0);
    plan.readiness = plan::Readiness::tree;
    Driver by_tree(plan);
    const auto effects = order_spawns(by_tree);
    ASSERT_EQ(count<TellSpawn>(effects), 5);
    ASSERT_EQ(count<TellSharePorts>(effects), 1);
    const auto* order = std::get_if<TellSharePorts>(&effects.back());
    ASSERT_NE(order, nullptr) << "not the last order";
    EXPECT_EQ(order->starters, (std::vector{process(0), process(0, 1), process(1)}));
    EXPECT_EQ(order->peers, (std::vector{core::Rank{0}, core::Rank{1}}));
}

TEST(ResizeOperation, GroupsThatKnowAllPortsConnectWithoutAnOrder) {
    for (const auto readiness : {plan::Readiness::broker, plan::Readiness::tree}) {
        auto plan = growth(2, Start::hypercube, Overlap::background);
        plan.readiness = readiness;
        Driver driver(plan);
        order_spawns(driver);
        for (const int id : {1, 2}) {
            const auto rounds = plan::connect_rounds(2).ports_of(id - 1);
            driver.tell(RankUp{process(id)});
            driver.tell(GroupReady{core::GroupId{id}, 1, rounds,
                                   std::vector<std::string>(rounds.size(), "port")});
        }
        EXPECT_EQ(count<TellConnectRound>(driver.all),
                  readiness == plan::Readiness::broker ? 1 : 0);
        driver.tell(Formed{process(1)});
        EXPECT_EQ(state_of(driver), "bridging");
    }
}

// Rank 0 has started the new ranks before it hears that the resize is called off. It does not merge
// with them any more.
TEST(ResizeOperation, RanksThatWaitForAMergeAreNotWaitedForAsLongAsForASpawn) {
    Driver driver(growth(1, Start::single, Overlap::background));
    driver.tell(Begin{});
    driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
    driver.tell(SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}});
    driver.tell(GateReached{core::GroupId{1}});
    driver.tell(CallOff{"cancelled"});
    const auto effects = driver.tell(SpawnReturned{process(0), core::GroupId{1}, true, "", 0.1});
    ASSERT_EQ(count<ArmTimer>(effects), 1);
    EXPECT_EQ(first<ArmTimer>(effects)->timer, Timer::newcomers_end);
    EXPECT_LE(first<ArmTimer>(effects)->after.count(), 5);
    EXPECT_EQ(count<KillGroup>(driver.tell(TimerFired{Timer::newcomers_end})), 1);
    driver.tell(GroupGone{core::GroupId{1}});
    EXPECT_TRUE(driver.operation.is_over());
}

// The report of a rank about its spawn may arrive after its report about the merge.
TEST(ResizeOperation, RanksThatAreLostAfterTheMergeNeedNoHelpInASpawn) {
    for (const bool has_merged : {false, true}) {
        Driver driver(growth(1, Start::single, Overlap::background));
        driver.tell(Begin{});
        driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
        driver.tell(SpawnAsked{core::HostIndex{0}, process(0), core::GroupId{1}, 1, "port", {}});
        driver.tell(GateReached{core::GroupId{1}});
        driver.tell(ReadyToMerge{process(1)});
        if (has_merged) driver.tell(Bridged{process(0), true, "", false});
        const auto effects = driver.tell(GroupGone{core::GroupId{1}});
        EXPECT_EQ(count<KillGroup>(effects), has_merged ? 0 : 1);
        EXPECT_EQ(count<ConnectAndAbort>(effects), has_merged ? 0 : 1);
    }
}

TEST(ResizeOperation, ASpawnThatNeverReturnsEndsTheJob) {
    Driver driver(growth(1, Start::single, Overlap::background));
    driver.tell(Begin{});
    driver.tell(HostPrepared{core::HostIndex{1}, core::GroupId{1}});
    driver.tell(CallOff{"cancelled"});
    driver.tell(TimerFired{Timer::newcomers_end});
    ASSERT_EQ(count<EndJob>(driver.all), 1);
    EXPECT_NE(first<EndJob>(driver.all)
                  ->why.find("rank g0.0 is inside of MPI_Comm_spawn for group "
                             "g1 on node1"),
              std::string::npos);
}

TEST(ResizeOperation, AnotherBrokerGoesOn) {
    for (const bool committed : {true, false}) {
        Driver driver(growth(1, Start::launch, Overlap::background));
        driver.tell(Begin{});
        join_one_group(driver);
        agree(driver);
        driver.tell(TakenOver{committed, false, {core::GroupId{1}}});
        EXPECT_EQ(count<Commit>(driver.all), committed ? 1 : 0);
        driver.tell(GroupGone{core::GroupId{1}});
        ASSERT_EQ(count<Finished>(driver.all), 1);
        EXPECT_EQ(first<Finished>(driver.all)->committed, committed);
    }
}

// The broker died after the commit, before it carried out the effects of the commit.
TEST(ResizeOperation, AnotherBrokerCommitsAgain) {
    Driver driver(shrink());
    driver.tell(Begin{});
    agree(driver);
    driver.tell(Arrived{process(0)});
    report(driver, true);
    ASSERT_TRUE(driver.operation.is_over());
    const auto effects = driver.tell(TakenOver{false, false, {}});
    EXPECT_EQ(count<Commit>(effects), 1);
    EXPECT_EQ(count<TellExitPermitted>(effects), 1);
    EXPECT_EQ(count<Finished>(effects), 1);
}

TEST(ResizeOperation, AnnouncedPointIsFinalWhileAnybodyCanReachIt) {
    Driver driver(shrink());
    driver.tell(Begin{});
    agree(driver);
    driver.tell(ProgramEnding{false});
    EXPECT_EQ(state_of(driver), "waiting");
    driver.tell(ProgramEnding{true});
    EXPECT_EQ(first<Finished>(driver.all)->why, "the program has ended");
}

TEST(ResizeOperation, DegradedProcessesHaveOneAttempt) {
    auto plan = growth(1, Start::launch, Overlap::background);
    plan.from_degraded = true;
    Driver driver(plan);
    driver.tell(Begin{});
    join_one_group(driver);
    agree(driver);
    driver.tell(Arrived{process(0)});
    report(driver, false, "no");
    EXPECT_EQ(driver.operation.health_after(Health::helper), Health::final);
}

}  // namespace
}  // namespace ductile::resize::resize_operation_test
