#include "core/allocation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ductile::core::allocation_test {
namespace {

TEST(Allocation, CountsTheSlotsOfTable2) {
    Allocation allocation;
    EXPECT_EQ(allocation.total_slots(), 0);
    for (const int slots : {4, 2, 8, 12, 3, 3, 4, 4, 6, 3})
        allocation.hosts.push_back({"host" + std::to_string(allocation.hosts.size()), slots});
    EXPECT_EQ(allocation.total_slots(), 49);
}

TEST(Allocation, FindsAHostByItsIndex) {
    const Allocation allocation{{{"a", 1}, {"b", 4}}};
    EXPECT_EQ(allocation.at(HostIndex{1}), (Host{"b", 4}));
    EXPECT_THROW((void)allocation.at(HostIndex{2}), std::out_of_range);
    EXPECT_THROW((void)allocation.at(HostIndex{-1}), std::out_of_range);
}

}  // namespace
}  // namespace ductile::core::allocation_test
