#include "tree/message_words.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace ductile::tree::message_words_test {
namespace {

LabelSet some_labels() {
    LabelSet labels;
    labels.insert(3);
    labels.insert(70);
    return labels;
}

const std::vector<Message> one_of_each{
    Begin{},
    Done{Colour{7}},
    Enrolled{},
    Enrolled{{{Colour{1}, ProcessId{5}, 2, 9, {{ProcessId{8}, 1}, {ProcessId{9}, 0}}, {}},
              {Colour{2}, ProcessId{6}, 0, 1, {}, {ProcessId{4}}}},
             some_labels()},
    Relocation{
        Colour{0}, 3, Filling::child, {{Colour{0}, ProcessId{5}, 0, 1, {}, {}}}, true, 2, 4, 6},
    Ranks{Colour{0}, 17, 40, 3, 1, {ProcessId{1}, ProcessId{2}}},
    Register{Colour{0}, 1, 4, 9, 3},
    ChildrenAre{Colour{0}, {ProcessId{1}, ProcessId{2}}},
    ParentIs{Colour{0}, ProcessId{2}},
    Balance{Colour{0}, 1, 2, 9, 3, 4, 5, 6, 7, 8, {ProcessId{9}}},
    Supply{Colour{0}, 3, ProcessId{2}},
    Handed{Colour{0}, {ProcessId{3}, 1, 5, 2, {ProcessId{9}}}},
    Roster{{{Colour{0}, ProcessId{1}}, {Colour{3}, ProcessId{2}}}, some_labels()},
    Part{Colour{0}, 4, 9, 7, 1, false, {ProcessId{3}, ProcessId{4}}},
};

TEST(LabelSet, GivesTheLowestThatIsFree) {
    LabelSet labels;
    EXPECT_EQ(labels.lowest_free(), 1);
    for (int label = 1; label < 100; ++label) {
        EXPECT_EQ(labels.lowest_free(), label);
        labels.insert(label);
    }
    labels.erase(64);
    EXPECT_EQ(labels.lowest_free(), 64);
    LabelSet other;
    other.insert(64);
    other.merge(labels);
    EXPECT_EQ(other.lowest_free(), 100);
    for (int label = 1; label < 100; ++label) labels.erase(label);
    EXPECT_EQ(labels, LabelSet{});
    labels.erase(1000);
    labels.insert(5);
    EXPECT_EQ(labels.lowest_free(), 1);
}

TEST(MessageWords, BringEachKindBack) {
    for (const auto& message : one_of_each) {
        const auto words = to_words(message);
        EXPECT_EQ(from_words(words), message) << "kind " << message.index();
        EXPECT_EQ(length_bytes(message), 4 * words.size());
    }
}

TEST(MessageWords, RefuseWhatIsNoMessage) {
    for (const auto& message : one_of_each) {
        auto words = to_words(message);
        for (std::size_t length = 0; length < words.size(); ++length)
            EXPECT_THROW(from_words({words.data(), length}), std::invalid_argument);
        words.push_back(0);
        EXPECT_THROW(from_words(words), std::invalid_argument);
    }
    for (const std::int32_t kind : {-1, 13, 1'000'000'000})
        EXPECT_THROW(from_words(std::vector{kind}), std::invalid_argument);
    EXPECT_THROW(from_words(std::vector{2, 2'000'000'000}), std::invalid_argument);
    EXPECT_THROW(from_words(std::vector{2, -1}), std::invalid_argument);
}

TEST(MessageWords, SurviveAnyWords) {
    std::mt19937 random{1};
    std::uniform_int_distribution length{0, 40}, word{-3, 20};
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::int32_t> words(static_cast<std::size_t>(length(random)));
        for (auto& w : words) w = word(random);
        try {
            EXPECT_EQ(to_words(from_words(words)), words);
        } catch (const std::invalid_argument&) {
        }
    }
}

}  // namespace
}  // namespace ductile::tree::message_words_test
