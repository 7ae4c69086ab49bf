#include "broker/request_queue.hpp"

#include <gtest/gtest.h>

namespace ductile::broker::request_queue_test {
namespace {

using namespace std::chrono_literals;

NextStep asking_for(int size) {
    NextStep step;
    step.request.goal = NewSize{core::SizeRange::exactly(size)};
    return step;
}

TEST(RequestQueue, IsServedInOrderButForWhoReplacesOrContinues) {
    RequestQueue queue(10);
    ASSERT_TRUE(queue.push(asking_for(1)));
    ASSERT_TRUE(queue.push(asking_for(2)));
    queue.push_front(asking_for(3));
    for (const int size : {3, 1, 2}) EXPECT_EQ(queue.pop()->request.size()->range.upper, size);
    EXPECT_FALSE(queue.pop());
}

TEST(RequestQueue, IsBounded) {
    RequestQueue queue(10);
    int taken = 0;
    while (queue.push(asking_for(1)) && taken < 1000) ++taken;
    EXPECT_EQ(taken, 64);
}

TEST(RequestQueue, WhoWaitsForTheRestOfARequestIsFound) {
    RequestQueue queue(10);
    ASSERT_TRUE(queue.push(asking_for(1)));
    auto second = asking_for(7);
    second.continues = core::TransactionId{4};
    ASSERT_TRUE(queue.push(second));
    ASSERT_NE(queue.begun_as(core::TransactionId{4}), nullptr);
    EXPECT_EQ(queue.begun_as(core::TransactionId{4})->request.size()->range.upper, 7);
    EXPECT_EQ(queue.begun_as(core::TransactionId{5}), nullptr);
}

TEST(RequestQueue, ADegradedJobAsksForItsRenewalOnceWhenNothingElseIsDue) {
    RequestQueue queue(10);
    const auto start = Clock::now();
    EXPECT_FALSE(queue.renewal_is_due(false, true, start));
    EXPECT_FALSE(queue.renewal_is_due(true, true, start + 5s));
    EXPECT_FALSE(queue.renewal_is_due(false, true, start + 9s)) << "a resize was due";
    EXPECT_FALSE(queue.renewal_is_due(true, true, start + 18s));
    EXPECT_TRUE(queue.renewal_is_due(true, true, start + 19s));
    EXPECT_FALSE(queue.renewal_is_due(true, true, start + 60s)) << "it was refused";
    EXPECT_FALSE(queue.renewal_is_due(true, false, start + 70s));
    EXPECT_TRUE(queue.renewal_is_due(true, true, start + 90s)) << "degraded anew";
}

TEST(RequestQueue, SaysWhenARenewalWillBeDue) {
    RequestQueue queue(10);
    const auto start = Clock::now();
    EXPECT_FALSE(queue.renewal_is_due(false, true, start));
    EXPECT_FALSE(queue.renewal_at(false, true)) << "something else is due";
    EXPECT_FALSE(queue.renewal_at(true, false));
    EXPECT_EQ(queue.renewal_at(true, true), start + 10s);
    EXPECT_FALSE(queue.renewal_is_due(true, true, start + 10s - 1ns));
    EXPECT_TRUE(queue.renewal_is_due(true, true, start + 10s));
    EXPECT_FALSE(queue.renewal_at(true, true)) << "it was asked for";
}

TEST(RequestQueue, OneRequestWaitsForHosts) {
    RequestQueue queue(10);
    auto asked = asking_for(8);
    asked.continues = core::TransactionId{5};
    asked.keeps = {core::HostIndex{3}};
    EXPECT_TRUE(queue.is_empty());
    queue.await({asked, core::TransactionId{6}, 2, Aim::largest});
    EXPECT_FALSE(queue.is_empty());
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_TRUE(queue.keeps(core::HostIndex{3}));
    EXPECT_FALSE(queue.keeps(core::HostIndex{2}));
    EXPECT_NE(queue.begun_as(core::TransactionId{5}), nullptr);
    EXPECT_EQ(queue.begun_as(core::TransactionId{6}), nullptr);
    EXPECT_EQ(queue.take_awaiting()->id, core::TransactionId{6});
    EXPECT_TRUE(queue.is_empty());
}

TEST(RequestQueue, AgentsStayForTheRequestThatIsNext) {
    RequestQueue queue(10);
    auto again = asking_for(8);
    again.keeps = {core::HostIndex{1}};
    queue.push_front(again);
    EXPECT_TRUE(queue.keeps(core::HostIndex{1}));
    queue.push_front(asking_for(2));
    EXPECT_FALSE(queue.keeps(core::HostIndex{1}));
}

}  // namespace
}  // namespace ductile::broker::request_queue_test
