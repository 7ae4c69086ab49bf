// The counter; and the gate, where the program's thread sleeps until the link's thread brings news.
#include "engine/resize_gate.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace ductile::engine::resize_gate_test {
namespace {

using core::TransactionId;
using namespace std::chrono_literals;

TEST(PointCounter, arming_and_counting_cannot_cross) {
    PointCounter counter;
    EXPECT_EQ(counter.enter().point, 1);
    EXPECT_EQ(counter.arm(), 1);
    const auto entered = counter.enter();
    EXPECT_EQ(entered.point, 2);
    EXPECT_TRUE(entered.armed);
    counter.disarm();
    counter.set_pending(true);
    EXPECT_TRUE(counter.enter().pending);
    EXPECT_FALSE(counter.enter().armed);
    EXPECT_EQ(counter.count(), 4);
}

// In any order of the question and the program's points: if the answer is c, the next point of the
// rank is c + 1, and it is armed.
TEST(PointCounter, the_point_after_the_answer_is_the_first_armed_one) {
    for (int repeat = 0; repeat < 200; ++repeat) {
        PointCounter counter;
        std::int64_t first_armed = 0;
        std::thread program([&] {
            // This loop has no limit: the thread that arms may wait for a core for a long time.
            auto entered = counter.enter();
            while (!entered.armed) entered = counter.enter();
            first_armed = entered.point;
        });
        const auto answer = counter.arm();
        program.join();
        EXPECT_EQ(first_armed, answer + 1);
    }
}

/// A gate, and what it makes its rank do.
struct Rank {
    struct Answer {
        TransactionId transaction;
        std::int64_t count;
        bool finished;
    };
    std::vector<Answer> answers;
    int early_votes = 0;
    std::vector<gate::RankReport> reports;
    ResizeGate gate{{[this](const gate::Prepare& prepare, std::int64_t count, bool finished) {
                         answers.push_back({prepare.transaction, count, finished});
                     },
                     [this] { ++early_votes; }, [](TransactionId) {},
                     [this](const gate::RankReport& report) { reports.push_back(report); }}};

    void ask(int transaction) { gate.tell(gate::Asked{{TransactionId{transaction}, 1}}); }
    void announce(int transaction, std::int64_t point) {
        gate.tell(gate::Announced{{TransactionId{transaction}, point, {}, {}, false}});
    }
    /// Enters the switch of transaction 1, at point 1.
    void enter_switch() {
        gate.begin(0, {});
        ask(1);
        announce(1, 1);
        ASSERT_TRUE(gate.wait_at(1));
    }
};

/// Makes a call on another thread. The call must sleep at least until this function returns.
template <class Call>
auto asleep(Call call) {
    auto result = std::async(std::launch::async, call);
    EXPECT_EQ(result.wait_for(20ms), std::future_status::timeout);
    return result;
}

TEST(ResizeGate, stops_at_the_announced_point_and_nowhere_else) {
    Rank rank;
    rank.gate.begin(0, {});
    rank.gate.counter.enter();
    rank.ask(1);
    ASSERT_EQ(rank.answers.size(), 1u);
    EXPECT_EQ(rank.answers[0].count, 1);
    EXPECT_FALSE(rank.answers[0].finished);
    auto second = asleep([&] { return rank.gate.wait_at(2); });
    rank.announce(1, 3);
    EXPECT_FALSE(second.get());
    const auto plan = rank.gate.wait_at(3);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->transaction, TransactionId{1});
    EXPECT_TRUE(rank.gate.counter.enter().armed);
    rank.gate.end_switch({TransactionId{1}, true, false});
    EXPECT_FALSE(rank.gate.counter.enter().armed);
}

TEST(ResizeGate, a_prepare_that_is_cancelled_lets_the_program_continue) {
    Rank rank;
    rank.gate.begin(0, {});
    rank.ask(1);
    auto waits = asleep([&] { return rank.gate.wait_at(1); });
    rank.gate.tell(gate::CalledOff{TransactionId{2}});  // another one's
    EXPECT_EQ(waits.wait_for(20ms), std::future_status::timeout);
    rank.gate.tell(gate::CalledOff{TransactionId{1}});
    EXPECT_FALSE(waits.get());
    EXPECT_FALSE(rank.gate.counter.enter().armed);
}

TEST(ResizeGate, the_loss_of_the_newcomers_wakes_who_watches_also_afterwards) {
    Rank rank;
    rank.enter_switch();
    int woken = 0;
    rank.gate.on_newcomers_lost([&] { ++woken; });
    EXPECT_EQ(woken, 0);
    rank.gate.tell(gate::NewcomersLost{TransactionId{1}, "lost"});
    EXPECT_EQ(woken, 1);
    rank.gate.on_newcomers_lost([&] { ++woken; });
    EXPECT_EQ(woken, 2);
    rank.gate.end_switch({TransactionId{1}, false, false});
    rank.gate.tell(gate::NewcomersLost{TransactionId{1}, "lost"});
    EXPECT_EQ(woken, 2);
}

TEST(ResizeGate, a_blocking_switch_waits_until_the_newcomers_are_there_or_lost) {
    for (const bool lost : {false, true}) {
        Rank rank;
        rank.enter_switch();
        auto waits = asleep([&] { rank.gate.wait_for_newcomers(); });
        rank.gate.tell(gate::NewcomersReady{TransactionId{7}});  // another one's
        EXPECT_EQ(waits.wait_for(20ms), std::future_status::timeout);
        if (lost)
            rank.gate.tell(gate::NewcomersLost{TransactionId{1}, "lost"});
        else
            rank.gate.tell(gate::NewcomersReady{TransactionId{1}});
        waits.get();
        EXPECT_EQ(rank.gate.objection().has_value(), lost);
    }
}

TEST(ResizeGate, a_finished_rank_says_so_and_waits_for_the_decision_it_owes) {
    Rank rank;
    rank.gate.begin(0, {});
    rank.ask(1);
    auto program = asleep([&] { rank.gate.finish(); });
    rank.gate.tell(gate::CalledOff{TransactionId{1}});
    program.get();
    rank.ask(2);
    ASSERT_EQ(rank.answers.size(), 2u);
    EXPECT_TRUE(rank.answers[1].finished);
}

TEST(ResizeGate, a_lost_broker_is_an_early_vote_or_an_objection) {
    Rank undecided;
    undecided.gate.begin(0, {});
    undecided.gate.counter.set_pending(true);
    undecided.gate.tell(gate::BrokerLost{});
    EXPECT_EQ(undecided.early_votes, 0);  // the rank was not asked for its point
    EXPECT_FALSE(undecided.gate.counter.enter().pending);

    Rank asked;
    asked.gate.begin(0, {});
    asked.ask(1);
    asked.gate.tell(gate::BrokerLost{});
    EXPECT_EQ(asked.early_votes, 1);
    auto program = asleep([&] { return asked.gate.wait_at(1); });
    asked.gate.tell(gate::EarlyVoteEnded{});
    EXPECT_FALSE(program.get());

    Rank voting;
    voting.enter_switch();
    voting.gate.tell(gate::BrokerLost{});
    EXPECT_EQ(voting.early_votes, 0);
    EXPECT_TRUE(voting.gate.objection());
}

TEST(ResizeGate, a_newcomer_answers_when_it_knows_the_count) {
    Rank rank;
    rank.ask(2);
    EXPECT_TRUE(rank.answers.empty());
    rank.gate.begin(57, TransactionId{1});
    ASSERT_EQ(rank.answers.size(), 1u);
    EXPECT_EQ(rank.answers[0].count, 57);
    EXPECT_TRUE(rank.gate.counter.enter().armed);
}

TEST(ResizeGate, a_resumed_broker_is_told_where_the_rank_stands) {
    Rank rank;
    rank.gate.tell(gate::BrokerBack{});
    EXPECT_TRUE(rank.reports.empty());  // it is not a member yet
    rank.enter_switch();
    ASSERT_EQ(rank.reports.size(), 1u);
    rank.gate.tell(gate::BrokerBack{});
    rank.gate.end_switch({TransactionId{1}, true, true});
    ASSERT_EQ(rank.reports.size(), 2u);
    EXPECT_EQ(rank.reports[1].transaction, TransactionId{1});
    EXPECT_TRUE(rank.reports[1].degraded);
}

TEST(ResizeGate, a_parked_rank_sleeps_until_a_later_resize_or_its_end) {
    Rank rank;
    rank.gate.begin(0, {});
    rank.gate.tell(gate::CalledBack{TransactionId{4}});
    auto parked = asleep([&] { return rank.gate.wait_parked(TransactionId{4}); });
    rank.gate.tell(gate::CalledBack{TransactionId{6}});
    EXPECT_EQ(parked.get(), TransactionId{6});
    EXPECT_FALSE(rank.gate.exit_permitted());
    auto again = asleep([&] { return rank.gate.wait_parked(TransactionId{6}); });
    rank.gate.tell(gate::ExitPermitted{});
    EXPECT_FALSE(again.get());
    EXPECT_TRUE(rank.gate.exit_permitted());
}

TEST(ResizeGate, who_has_left_waits_for_the_others_unless_no_broker_would_say) {
    for (const gate::Event& event :
         {gate::Event{gate::ExitPermitted{}}, gate::Event{gate::BrokerLost{}}}) {
        Rank rank;
        rank.gate.begin(0, {});
        auto leaver = asleep([&] { rank.gate.wait_to_exit(60s); });
        rank.gate.tell(event);
        EXPECT_EQ(leaver.wait_for(10s), std::future_status::ready);
    }
}

}  // namespace
}  // namespace ductile::engine::resize_gate_test
