#include "check/ended_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ductile::check::ended_memory_test {
namespace {

TEST(EndedMemory, FindsTheArrayOfAnAddress) {
    std::vector<std::byte> memory(100);
    auto* const at = memory.data();
    const auto ended = std::make_unique<EndedMemory>();
    EXPECT_EQ(ended->array_at(nullptr), nullptr);
    EXPECT_FALSE(ended->add({at + 10, 20}, "a"));
    EXPECT_FALSE(ended->add({at + 50, 1}, "b"));
    EXPECT_EQ(ended->array_at(at + 9), nullptr);
    EXPECT_STREQ(ended->array_at(at + 10), "a");
    EXPECT_STREQ(ended->array_at(at + 29), "a");
    EXPECT_EQ(ended->array_at(at + 30), nullptr);
    EXPECT_STREQ(ended->array_at(at + 50), "b");
}

TEST(EndedMemory, TheOldestIsForgottenFirst) {
    std::vector<std::byte> memory(EndedMemory::kept + 1);
    const auto range = [&](std::size_t i) { return MemoryRange{memory.data() + i, 1}; };
    const auto ended = std::make_unique<EndedMemory>();
    for (std::size_t i = 0; i < EndedMemory::kept; ++i) EXPECT_FALSE(ended->add(range(i), "a"));
    const auto forgotten = ended->add(range(EndedMemory::kept), "b");
    ASSERT_TRUE(forgotten);
    EXPECT_EQ(*forgotten, range(0));
    EXPECT_EQ(ended->array_at(range(0).begin), nullptr);
    EXPECT_STREQ(ended->array_at(range(1).begin), "a");
    EXPECT_STREQ(ended->array_at(range(EndedMemory::kept).begin), "b");
}

TEST(EndedMemory, LongNamesAreCut) {
    std::byte memory{};
    const auto ended = std::make_unique<EndedMemory>();
    ended->add({&memory, 1}, std::string(1000, 'x').c_str());
    EXPECT_EQ(ended->array_at(&memory), std::string(EndedMemory::name_bytes - 1, 'x'));
}

}  // namespace
}  // namespace ductile::check::ended_memory_test
