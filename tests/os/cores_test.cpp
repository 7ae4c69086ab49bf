#include "os/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
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

TEST(Cores, OfTheCgroupAndThoseAboveIt) {
    std::string tree = testing::TempDir() + "ductile-cores-XXXXXX";
    ASSERT_NE(::mkdtemp(tree.data()), nullptr);
    std::filesystem::create_directories(tree + "/slice/job/step");
    const auto limit = [&tree](const std::string& group, const char* text) {
        std::ofstream(tree + "/" + group + "/cpu.max") << text << "\n";
    };
    EXPECT_EQ(cores_of_cgroup("0::/slice/job/step\n", tree), 0);
    limit("slice/job", "300000 100000");
    limit("slice/job/step", "max 100000");
    EXPECT_EQ(cores_of_cgroup("0::/slice/job/step\n", tree), 3);
    EXPECT_EQ(cores_of_cgroup("4:cpu:/a\n0::/slice/job\n", tree), 3);
    limit("slice", "200000 100000");
    EXPECT_EQ(cores_of_cgroup("0::/slice/job/step\n", tree), 2);
    EXPECT_EQ(cores_of_cgroup("0::/slice/other\n", tree), 2);
    EXPECT_EQ(cores_of_cgroup("0::/\n", tree), 0);
    limit("", "100000 100000");
    for (const auto* member : {"0::/\n", "0::/slice/job", "0::/docker/not-seen-here\n"})
        EXPECT_EQ(cores_of_cgroup(member, tree), 1) << member;
    for (const auto* none : {"", "\n", "10::/slice\n", "1:cpu:/slice\n"})
        EXPECT_EQ(cores_of_cgroup(none, tree), 0) << none;
    std::filesystem::remove_all(tree);
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
