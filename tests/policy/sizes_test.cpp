#include "policy/sizes.hpp"

#include <gtest/gtest.h>

#include "views_of_jobs.hpp"

namespace ductile::policy::sizes_test {
namespace {

TEST(PolicySizes, LimitsBoundASize) {
    EXPECT_EQ(largest_size(job_of(4), 9), 9);
    EXPECT_EQ(largest_size(job_of(4, 1, 2, 6), 9), 6);
    EXPECT_EQ(largest_size(job_of(4, 1, 2, 6), 1), std::nullopt);
    EXPECT_EQ(largest_size(job_of(4, 1, 0, 0, 4), 9), 8);
    EXPECT_EQ(largest_size(job_of(4, 1, 5, 0, 4), 7), std::nullopt);
    EXPECT_EQ(largest_size(job_of(4), 0), std::nullopt);
}

TEST(PolicySizes, AJobGrowsWithItsFreeSlotsAndNewHosts) {
    EXPECT_EQ(grown_with(job_of(4, 2), 0), std::nullopt);
    EXPECT_EQ(grown_with(job_of(4, 2), 2), 8);
    auto with_slots = job_of(4, 2, 0, 7);
    with_slots.free_slots = 2;
    EXPECT_EQ(grown_with(with_slots, 0), 6);
    EXPECT_EQ(grown_with(with_slots, 1), 7);
    EXPECT_EQ(grown_with(job_of(4, 2, 0, 4), 3), std::nullopt);
    EXPECT_EQ(grown_with(job_of(4, 2, 0, 0, 4), 1), std::nullopt);
    EXPECT_EQ(grown_with(job_of(6, 2, 0, 5), 3), std::nullopt);  // above its max already
}

std::optional<OnFewerHosts> rest(int hosts, int ranks) {
    return OnFewerHosts{hosts, ranks};
}

TEST(PolicySizes, AJobGivesUpWholeHosts) {
    EXPECT_EQ(without_hosts(job_of(8, 2), 1), rest(3, 6));
    EXPECT_EQ(without_hosts(job_of(7, 2), 1), rest(3, 6));
    EXPECT_EQ(without_hosts(job_of(8, 2, 0, 0, 4), 1), rest(2, 4));
    EXPECT_EQ(without_hosts(job_of(8, 2, 6), 1), rest(3, 6));
    EXPECT_EQ(without_hosts(job_of(8, 2, 6), 2), std::nullopt);
    EXPECT_EQ(without_hosts(job_of(8, 2), 3), rest(1, 2));
    EXPECT_EQ(without_hosts(job_of(8, 2), 4), std::nullopt);  // a job keeps one host
}

TEST(PolicySizes, HostsThatOthersCannotUseAreNotCounted) {
    auto own_hosts = job_of(8, 2);
    own_hosts.hosts[3].is_returnable = false;
    EXPECT_EQ(without_hosts(own_hosts, 1), rest(2, 4));
    EXPECT_EQ(without_hosts(own_hosts, 2), rest(1, 2));
    EXPECT_EQ(without_hosts(own_hosts, 3), std::nullopt);
}

TEST(PolicySizes, HostsMayHoldDifferentNumbers) {
    JobView job;
    job.ranks = 8;
    job.hosts = {{1, false}, {4}, {3}};
    EXPECT_EQ(without_hosts(job, 1), rest(2, 5));
    job.multiple = 2;
    EXPECT_EQ(without_hosts(job, 1), std::nullopt);
    job.hosts = {{2, false}, {3}, {3}};
    EXPECT_EQ(without_hosts(job, 1), rest(1, 2));
}

}  // namespace
}  // namespace ductile::policy::sizes_test
