// What a rank knows about a resize that its program has requested.
#include "engine/asked_resize.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fake_channel.hpp"

namespace ductile::engine::asked_resize_test {
namespace {

using State = ResizeAnswer::State;

wire::ResizeRequest to_size(int ranks) {
    wire::ResizeRequest request;
    request.size = core::SizeRange{ranks, ranks};
    return request;
}

class AskedResizes : public testing::Test {
  protected:
    wire::ResizeAsked asked_for(int ranks) {
        asked_.ask(channel_, to_size(ranks));
        return channel_.take_only<wire::ResizeAsked>().value();
    }

    [[nodiscard]] bool is_told(const std::string& what) const {
        return asked_.answer().text.find(what) != std::string::npos;
    }

    FakeChannel channel_;
    AskedResize asked_;
};

TEST_F(AskedResizes, NothingIsKnownOfNothing) {
    EXPECT_EQ(asked_.answer().state, State::none);
    asked_.on_message(wire::BrokerLost{});
    EXPECT_EQ(asked_.answer().state, State::none);
}

TEST_F(AskedResizes, ARequestWaitsForItsEnd) {
    const auto message = asked_for(4);
    EXPECT_EQ(message.request.size, (core::SizeRange{4, 4}));
    EXPECT_TRUE(message.request.wait);
    EXPECT_EQ(asked_.answer().state, State::open);
    EXPECT_EQ(asked_.answer().text, "");
}

TEST_F(AskedResizes, AnswersBecomeStates) {
    const struct {
        wire::ReplyKind kind;
        State state;
    } table[] = {
        {wire::ReplyKind::done, State::done},
        {wire::ReplyKind::refused, State::refused},
        {wire::ReplyKind::rolled_back, State::rolled_back},
        {wire::ReplyKind::failed, State::rolled_back},
        {wire::ReplyKind::accepted, State::open},
    };
    for (const auto& row : table) {
        const auto message = asked_for(2);
        asked_.on_message(wire::ResizeAnswered{message.number, row.kind, "so it is"});
        EXPECT_EQ(asked_.answer().state, row.state);
        EXPECT_EQ(asked_.answer().text, "so it is");
    }
}

TEST_F(AskedResizes, AnAnswerToAnEarlierRequestIsNone) {
    const auto first = asked_for(2);
    const auto second = asked_for(3);
    asked_.on_message(wire::ResizeAnswered{first.number, wire::ReplyKind::refused, "too late"});
    EXPECT_EQ(asked_.answer().state, State::open);
    asked_.on_message(wire::ResizeAnswered{second.number, wire::ReplyKind::done, ""});
    EXPECT_EQ(asked_.answer().state, State::done);
}

TEST_F(AskedResizes, ALostBrokerAnswersNothing) {
    asked_for(2);
    asked_.on_message(wire::BrokerLost{});
    EXPECT_EQ(asked_.answer().state, State::lost);
    asked_.ask(channel_, to_size(3));
    EXPECT_EQ(asked_.answer().state, State::lost) << "nobody is there to ask";
    EXPECT_TRUE(channel_.take().empty());
    asked_.on_message(wire::BrokerBack{});
    asked_for(3);
    EXPECT_EQ(asked_.answer().state, State::open);
}

// The program must not wait for an answer that never comes: the next broker does not know who
// asked.
TEST_F(AskedResizes, ALostRequestMayBeMadeAgain) {
    const auto first = asked_for(2);
    asked_.on_message(wire::BrokerLost{});
    EXPECT_TRUE(is_told("ended before it answered"));
    EXPECT_TRUE(is_told("make the request again"));
    asked_.ask(channel_, to_size(2));
    EXPECT_TRUE(is_told("has no broker"));
    asked_.on_message(wire::BrokerBack{});
    EXPECT_EQ(asked_.answer().state, State::lost) << "it was never sent";
    const auto again = asked_for(2);
    EXPECT_NE(again.number, first.number);
    asked_.on_message(wire::ResizeAnswered{again.number, wire::ReplyKind::done, ""});
    EXPECT_EQ(asked_.answer().state, State::done);
}

// The agent had kept the request until the next broker came.
TEST_F(AskedResizes, ALostRequestMayBeAnsweredNevertheless) {
    const auto message = asked_for(2);
    asked_.on_message(wire::BrokerLost{});
    asked_.on_message(wire::BrokerBack{});
    asked_.on_message(wire::ResizeAnswered{message.number, wire::ReplyKind::done, ""});
    EXPECT_EQ(asked_.answer().state, State::done);
}

TEST_F(AskedResizes, AnAnswerOutlivesTheBroker) {
    const auto message = asked_for(2);
    asked_.on_message(wire::ResizeAnswered{message.number, wire::ReplyKind::done, ""});
    asked_.on_message(wire::BrokerLost{});
    EXPECT_EQ(asked_.answer().state, State::done);
}

}  // namespace
}  // namespace ductile::engine::asked_resize_test
