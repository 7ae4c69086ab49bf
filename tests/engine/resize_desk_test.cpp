#include "engine/resize_desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace ductile::engine {
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
    counter.set_underway(true);
    EXPECT_TRUE(counter.enter().underway);
    EXPECT_FALSE(counter.enter().armed);
    EXPECT_EQ(counter.count(), 4);
}

// However question and program interleave: the first point after the answer c is c + 1, and it
// finds itself armed.
TEST(PointCounter, the_point_after_the_answer_is_the_first_armed_one) {
    for (int repeat = 0; repeat < 200; ++repeat) {
        PointCounter counter;
        std::int64_t first_armed = 0;
        std::thread program([&] {
            // Without a limit: the arming thread may be kept waiting for a core for long.
            auto entered = counter.enter();
            while (!entered.armed) entered = counter.enter();
            first_armed = entered.point;
        });
        const auto answer = counter.arm();
        program.join();
        EXPECT_EQ(first_armed, answer + 1);
    }
}

TEST(ResizeDesk, stops_at_the_announced_point_and_nowhere_else) {
    const auto after =
        core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 3}}).without({core::Rank{1}});
    ResizeDesk desk;
    desk.begin(0);
    desk.counter.enter();
    EXPECT_EQ(desk.question({TransactionId{1}, 1})->count, 1);
    std::thread broker([&] {
        std::this_thread::sleep_for(20ms);
        desk.decide({TransactionId{1}, 3, {}, wire::LayoutFields(after)});
    });
    EXPECT_FALSE(desk.wait_at(2));  // waits for the word, then goes on
    const auto plan = desk.wait_at(3);
    broker.join();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->after, after);
    EXPECT_TRUE(desk.claim_vote());
    desk.conclude();
    EXPECT_FALSE(desk.counter.enter().armed);
}

TEST(ResizeDesk, a_cancelled_question_lets_the_program_go_on) {
    ResizeDesk desk;
    desk.begin(0);
    desk.question({TransactionId{1}, 1});
    desk.decide({TransactionId{1}, 0, {}, {}});
    EXPECT_FALSE(desk.wait_at(1));
    EXPECT_FALSE(desk.counter.enter().armed);
}

TEST(ResizeDesk, words_of_another_transaction_do_not_count) {
    ResizeDesk desk;
    desk.begin(0);
    desk.question({TransactionId{2}, 1});
    desk.decide({TransactionId{1}, 0, {}, {}});
    EXPECT_TRUE(desk.counter.enter().armed);
    desk.abandon(TransactionId{1}, "other");
    EXPECT_FALSE(desk.objection(TransactionId{2}));
    desk.abandon(TransactionId{2}, "lost");
    EXPECT_EQ(desk.objection(TransactionId{2}), "lost");
}

TEST(ResizeDesk, abandonment_wakes_who_watches_also_afterwards) {
    ResizeDesk desk;
    desk.begin(0);
    desk.question({TransactionId{1}, 1});
    int woken = 0;
    desk.on_abandon(TransactionId{1}, [&] { ++woken; });
    desk.abandon(TransactionId{1}, "lost");
    EXPECT_EQ(woken, 1);
    desk.on_abandon(TransactionId{1}, [&] { ++woken; });
    EXPECT_EQ(woken, 2);
}

TEST(ResizeDesk, a_finished_rank_says_so_and_waits_for_the_decision_it_owes) {
    ResizeDesk desk;
    desk.begin(0);
    desk.question({TransactionId{1}, 1});
    std::thread program([&] { desk.finish(); });
    std::this_thread::sleep_for(20ms);
    desk.decide({TransactionId{1}, 0, {}, {}});
    program.join();
    EXPECT_TRUE(desk.question({TransactionId{2}, 1})->finished);
}

TEST(ResizeDesk, a_lost_broker_is_an_early_vote_or_an_objection) {
    ResizeDesk undecided;
    undecided.begin(0);
    EXPECT_FALSE(undecided.broker_lost());  // nothing was asked
    ResizeDesk asked;
    asked.begin(0);
    asked.question({TransactionId{1}, 1});
    EXPECT_TRUE(asked.broker_lost());
    EXPECT_FALSE(asked.claim_vote());  // the early vote is this rank's only one
    asked.cancel();
    EXPECT_FALSE(asked.wait_at(1));
    ResizeDesk voting;
    voting.begin(0);
    voting.question({TransactionId{1}, 1});
    EXPECT_TRUE(voting.claim_vote());
    EXPECT_FALSE(voting.broker_lost());
    EXPECT_TRUE(voting.objection(TransactionId{1}));
}

TEST(ResizeDesk, a_newcomer_answers_when_it_knows_the_count) {
    ResizeDesk desk;
    EXPECT_FALSE(desk.question({TransactionId{2}, 1}));
    const auto answer = desk.begin(57);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->count, 57);
    EXPECT_TRUE(desk.counter.enter().armed);

    ResizeDesk cancelled;
    EXPECT_FALSE(cancelled.question({TransactionId{2}, 1}));
    cancelled.decide({TransactionId{2}, 0, {}, {}});
    EXPECT_FALSE(cancelled.begin(57));
    EXPECT_FALSE(cancelled.counter.enter().armed);
}

TEST(ResizeDesk, waits_at_a_blocking_point_until_the_newcomers_are_there_or_lost) {
    for (const bool lost : {false, true}) {
        ResizeDesk desk;
        std::atomic<bool> gone_on{false};
        std::thread program([&] {
            desk.wait_to_proceed(TransactionId{1});
            gone_on = true;
        });
        desk.proceed(TransactionId{7});  // another one's
        std::this_thread::sleep_for(20ms);
        EXPECT_FALSE(gone_on);
        if (lost)
            desk.abandon(TransactionId{1}, "lost");
        else
            desk.proceed(TransactionId{1});
        program.join();
        EXPECT_EQ(desk.objection(TransactionId{1}).has_value(), lost);
    }
    ResizeDesk brokerless;
    brokerless.begin(0);
    brokerless.question({TransactionId{1}, 1});
    brokerless.claim_vote();
    brokerless.broker_lost();
    brokerless.broker_back();  // a resumed one knows nothing of these newcomers
    brokerless.wait_to_proceed(TransactionId{1});
    EXPECT_TRUE(brokerless.objection(TransactionId{1}));
    EXPECT_FALSE(brokerless.objection(TransactionId{2}));
}

TEST(ResizeDesk, a_newcomer_whose_broker_is_lost_before_it_answers_votes_early) {
    ResizeDesk desk;
    EXPECT_FALSE(desk.question({TransactionId{2}, 1}));
    EXPECT_FALSE(desk.broker_lost());
    EXPECT_TRUE(desk.begin(57));
    ASSERT_TRUE(desk.lost_meanwhile());
    EXPECT_TRUE(desk.broker_lost());
    desk.cancel();
    EXPECT_FALSE(desk.lost_meanwhile());
    EXPECT_FALSE(desk.counter.enter().armed);
}

TEST(ResizeDesk, a_resumed_broker_is_told_where_the_rank_stands_once_nothing_is_open) {
    ResizeDesk desk;
    std::vector<wire::Standing> said;
    desk.on_standing([&](const wire::Standing& standing) { said.push_back(standing); });
    desk.broker_back();
    EXPECT_TRUE(said.empty());  // no member yet
    desk.stand(TransactionId{3}, false);
    desk.begin(0);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].transaction, TransactionId{3});

    desk.question({TransactionId{4}, 1});
    EXPECT_TRUE(desk.broker_lost());
    desk.broker_back();
    EXPECT_EQ(said.size(), 1u);  // the early vote is under way
    desk.cancel();
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[1].transaction, TransactionId{3});

    desk.question({TransactionId{5}, 1});
    desk.decide({TransactionId{5}, 1, {}, {}});
    desk.claim_vote();
    EXPECT_FALSE(desk.broker_lost());
    desk.broker_back();
    EXPECT_EQ(said.size(), 2u);  // it stands in the switch
    desk.stand(TransactionId{5}, true);
    desk.conclude();
    ASSERT_EQ(said.size(), 3u);
    EXPECT_EQ(said[2].transaction, TransactionId{5});
    EXPECT_TRUE(said[2].worn);
}

TEST(ResizeDesk, a_parked_rank_hears_of_later_resizes_only) {
    ResizeDesk desk;
    desk.begin(0);
    desk.come_back(TransactionId{4});
    std::thread broker([&] {
        std::this_thread::sleep_for(20ms);
        desk.come_back(TransactionId{6});
    });
    EXPECT_EQ(desk.wait_parked(TransactionId{4}), TransactionId{6});
    broker.join();
    desk.may_end();
    EXPECT_FALSE(desk.wait_parked(TransactionId{6}));
}

}  // namespace
}  // namespace ductile::engine
