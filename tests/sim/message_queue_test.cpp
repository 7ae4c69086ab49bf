#include "sim/message_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace ductile::sim::message_queue_test {
namespace {

using Queue = MessageQueue<int>;

TEST(MessageQueue, GivesTheEarliestFirst) {
    Queue queue;
    for (const double time : {3.0, 1.0, 2.0}) queue.push({time, 0, 1, static_cast<int>(time)});
    for (const int expected : {1, 2, 3}) EXPECT_EQ(queue.pop().message, expected);
    EXPECT_TRUE(queue.empty());
}

/// Messages that arrive at the same time keep the order in which they were sent. So a channel keeps
/// its order, too.
TEST(MessageQueue, KeepsTheOrderOfEqualTimes) {
    std::mt19937 random{1};
    Queue queue;
    int pushed = 0, popped = 0;
    Queue::Arrival last{-1, 0, 0, -1};
    double now = 0;
    while (popped < 5000) {
        if (pushed < 5000 && (queue.empty() || random() % 2 == 0)) {
            queue.push({now + static_cast<double>(random() % 4), 0, 0, pushed++});
        } else {
            const auto next = queue.pop();
            ASSERT_GE(next.time_us, last.time_us);
            if (next.time_us == last.time_us) {
                ASSERT_GT(next.message, last.message);
            }
            last = next;
            now = next.time_us;
            ++popped;
        }
    }
    EXPECT_TRUE(queue.empty());
}

TEST(MessageQueue, TakesMessagesThatCannotBeCopied) {
    MessageQueue<std::unique_ptr<int>> queue;
    queue.push({2, 4, 5, std::make_unique<int>(7)});
    queue.push({1, 0, 0, nullptr});
    queue.pop();
    const auto arrival = queue.pop();
    EXPECT_EQ(*arrival.message, 7);
    EXPECT_EQ(arrival.from, 4);
    EXPECT_EQ(arrival.to, 5);
}

}  // namespace
}  // namespace ductile::sim::message_queue_test
