#include "os/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace ductile::os::cores_test {
namespace {

TEST(Cores, OfALimitOfTime) {
    EXPECT_EQ(cores_of_limit("max 100000"), 0);
    EXPECT_EQ(cores_of_limit("200000 100000"), 2);
    EXPECT_EQ(cores_of_limit("150000 100000"), 2);
    EXPECT_EQ(cores_of_limit("1000 100000"), 1);
    for (const auto* bad : {"", "max", "1", "1 ", "0 100000", "100000 0", "-1 100000", "x 1"})
        EXPECT_EQ(cores_of_limit(bad), 0) << bad;
}

TEST(Cores, OfTheAffinity) {
    EXPECT_GE(usable_cores(), 1);
    int bound = 0;
    std::thread([&bound] {
        cpu_set_t one, mine;
        CPU_ZERO(&one);
        ::sched_getaffinity(0, sizeof(mine), &mine);
        for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
            if (CPU_ISSET(core, &mine)) CPU_SET(core, &one);
        ::sched_setaffinity(0, sizeof(one), &one);
        bound = usable_cores();
    }).join();
    EXPECT_EQ(bound, 1);
}

}  // namespace
}  // namespace ductile::os::cores_test
