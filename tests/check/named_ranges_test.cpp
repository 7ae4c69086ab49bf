#include "check/named_ranges.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ductile::check::named_ranges_test {
namespace {

TEST(NamedRanges, FindsTheArrayOfAnAddress) {
    std::vector<std::byte> memory(100);
    auto* const at = memory.data();
    const auto ranges = std::make_unique<NamedRanges>();
    EXPECT_EQ(ranges->array_at(nullptr), nullptr);
    EXPECT_FALSE(ranges->add({at + 10, 20}, "a"));
    EXPECT_FALSE(ranges->add({at + 50, 1}, "b"));
    EXPECT_EQ(ranges->array_at(at + 9), nullptr);
    EXPECT_STREQ(ranges->array_at(at + 10), "a");
    EXPECT_STREQ(ranges->array_at(at + 29), "a");
    EXPECT_EQ(ranges->array_at(at + 30), nullptr);
    EXPECT_STREQ(ranges->array_at(at + 50), "b");
}

TEST(NamedRanges, TheOldestIsForgottenFirst) {
    std::vector<std::byte> memory(NamedRanges::kept + 1);
    const auto range = [&](std::size_t i) { return MemoryRange{memory.data() + i, 1}; };
    const auto ranges = std::make_unique<NamedRanges>();
    for (std::size_t i = 0; i < NamedRanges::kept; ++i) EXPECT_FALSE(ranges->add(range(i), "a"));
    const auto forgotten = ranges->add(range(NamedRanges::kept), "b");
    ASSERT_TRUE(forgotten);
    EXPECT_EQ(*forgotten, range(0));
    EXPECT_EQ(ranges->array_at(range(0).begin), nullptr);
    EXPECT_STREQ(ranges->array_at(range(1).begin), "a");
    EXPECT_STREQ(ranges->array_at(range(NamedRanges::kept).begin), "b");
}

TEST(NamedRanges, WhatIsRemovedIsNotFound) {
    std::vector<std::byte> memory(100);
    auto* const at = memory.data();
    const auto ranges = std::make_unique<NamedRanges>();
    ranges->add({at + 10, 20}, "a");
    ranges->add({at + 50, 1}, "b");
    ranges->remove(at + 11);
    EXPECT_STREQ(ranges->array_at(at + 11), "a");
    ranges->remove(at + 10);
    EXPECT_EQ(ranges->array_at(at + 11), nullptr);
    EXPECT_STREQ(ranges->array_at(at + 50), "b");
}

TEST(NamedRanges, LongNamesAreCut) {
    std::byte memory{};
    const auto ranges = std::make_unique<NamedRanges>();
    ranges->add({&memory, 1}, std::string(1000, 'x').c_str());
    EXPECT_EQ(ranges->array_at(&memory), std::string(NamedRanges::name_bytes - 1, 'x'));
}

}  // namespace
}  // namespace ductile::check::named_ranges_test
