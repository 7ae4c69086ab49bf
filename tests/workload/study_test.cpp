#include "workload/study.hpp"

#include <gtest/gtest.h>

#include "studies.hpp"

namespace ductile::workload::study_test {
namespace {

TEST(WorkloadStudy, AJobHasAtMostTheHostsOfTheCluster) {
    auto study = paper_study();
    const auto large = study.classes.at(2);
    EXPECT_EQ(max_hosts(study, large), 11);
    study.hosts = 9;
    EXPECT_EQ(max_hosts(study, large), 9);
    study.hosts = 4;
    EXPECT_EQ(max_hosts(study, large), 4);
}

TEST(WorkloadStudy, AnEfficiencyOfTheStudyCounts) {
    auto study = paper_study();
    study.min_efficiency = 0.9;
    EXPECT_EQ(max_hosts(study, study.classes.at(0)), 9);
}

TEST(WorkloadStudy, IterationsAreScaled) {
    auto study = paper_study();
    study.time_scale = 0.5;
    const auto times = scaled_iteration_s(study, study.classes.at(0));
    EXPECT_EQ(times.size(), small_s.size());
    EXPECT_DOUBLE_EQ(times.at(1), 4.45);
}

}  // namespace
}  // namespace ductile::workload::study_test
