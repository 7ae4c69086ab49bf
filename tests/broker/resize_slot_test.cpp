// In which order the resize that is open hears its events.
#include "broker/resize_slot.hpp"

#include <gtest/gtest.h>

#include "../resize/resize_fixture.hpp"

namespace ductile::broker::resize_slot_test {
namespace {

struct Slot : testing::Test {
    asio::io_context io;
    int effects = 0, deepest = 0, depth = 0, timed = 0;
    std::function<void(const resize::Effect&)> then = [](const resize::Effect&) {};
    ResizeSlot slot{io,
                    [this](const resize::Effect& effect) {
                        deepest = std::max(deepest, ++depth);
                        ++effects;
                        then(effect);
                        --depth;
                    },
                    [this] { ++timed; }};

    void open() { slot.open(resize::ResizeOperation(resize::shrink())); }
};

TEST_F(Slot, NobodyHearsAnEventWhenNoneIsOpen) {
    slot.tell(resize::Begin{});
    EXPECT_EQ(effects, 0);
    EXPECT_FALSE(slot);
    EXPECT_EQ(slot.operation(), nullptr);
    EXPECT_FALSE(slot.is_resizing());
}

TEST_F(Slot, WhatAnEffectBringsAboutWaitsForItsEnd) {
    open();
    bool told = false;
    then = [&](const resize::Effect&) {
        if (!std::exchange(told, true)) slot.tell(resize::CallOff{"called off within"});
    };
    slot.tell(resize::Begin{});
    EXPECT_TRUE(told);
    EXPECT_EQ(deepest, 1);
    ASSERT_TRUE(slot);
    EXPECT_TRUE(slot->events.empty()) << "but it was heard";
}

TEST_F(Slot, HearsNoMoreOfOneThatAnEffectHasTakenOut) {
    open();
    then = [this](const resize::Effect&) { static_cast<void>(slot.take()); };
    slot.tell(resize::Begin{});
    EXPECT_EQ(effects, 1);
    EXPECT_FALSE(slot);
    then = [](const resize::Effect&) {};
    open();
    slot.tell(resize::Begin{});
    EXPECT_GT(effects, 1) << "and hears the next one";
}

TEST_F(Slot, HearsTheNextOneAfterAnEffectThatThrows) {
    open();
    then = [](const resize::Effect&) { throw std::runtime_error("it cannot be carried out"); };
    EXPECT_THROW(slot.tell(resize::Begin{}), std::runtime_error);
    then = [](const resize::Effect&) {};
    const int before = effects;
    slot.tell(resize::CallOff{"for that"});
    EXPECT_GT(effects, before);
}

TEST_F(Slot, ATimerIsHeardAndTold) {
    open();
    slot->arm({resize::Timer::phase, std::chrono::milliseconds(0)});
    io.run();
    EXPECT_EQ(timed, 1);
}

TEST_F(Slot, KnowsWhatItsResizeIs) {
    open();
    const auto& plan = slot->operation.plan();
    EXPECT_TRUE(slot.is(plan.id));
    EXPECT_FALSE(slot.is(core::TransactionId{plan.id.value + 1}));
    EXPECT_TRUE(slot.is_resizing());
    for (const auto host : plan.after.hosts()) EXPECT_TRUE(slot.needs(host));
    EXPECT_FALSE(slot.needs(core::HostIndex{99}));
}

}  // namespace
}  // namespace ductile::broker::resize_slot_test
