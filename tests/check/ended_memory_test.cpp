#include "check/ended_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ductile::check {
namespace {

TEST(EndedMemory, FindsTheArrayOfAnAddress) {
    const auto ended = std::make_unique<EndedMemory>();
    EXPECT_EQ(ended->array_at(0), nullptr);
    EXPECT_FALSE(ended->add({4096, 8192}, "a"));
    EXPECT_FALSE(ended->add({40960, 4096}, "b"));
    EXPECT_EQ(ended->array_at(4095), nullptr);
    EXPECT_STREQ(ended->array_at(4096), "a");
    EXPECT_STREQ(ended->array_at(12287), "a");
    EXPECT_EQ(ended->array_at(12288), nullptr);
    EXPECT_STREQ(ended->array_at(40960), "b");
}

TEST(EndedMemory, TheOldestIsForgottenFirst) {
    const auto ended = std::make_unique<EndedMemory>();
    const auto range = [](std::size_t i) { return MemoryRange{4096 * (i + 1), 4096}; };
    for (std::size_t i = 0; i < EndedMemory::kept; ++i) EXPECT_FALSE(ended->add(range(i), "a"));
    const auto forgotten = ended->add(range(EndedMemory::kept), "b");
    ASSERT_TRUE(forgotten);
    EXPECT_EQ(*forgotten, range(0));
    EXPECT_EQ(ended->array_at(range(0).begin), nullptr);
    EXPECT_STREQ(ended->array_at(range(1).begin), "a");
    EXPECT_STREQ(ended->array_at(range(EndedMemory::kept).begin), "b");
}

TEST(EndedMemory, LongNamesAreCut) {
    const auto ended = std::make_unique<EndedMemory>();
    ended->add({4096, 1}, std::string(1000, 'x').c_str());
    EXPECT_EQ(ended->array_at(4096), std::string(EndedMemory::name_bytes - 1, 'x'));
}

}  // namespace
}  // namespace ductile::check
