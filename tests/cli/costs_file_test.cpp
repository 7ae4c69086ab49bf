#include "cli/costs_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::cli::costs_file_test {
namespace {

using nlohmann::json;

mpi::Capabilities mpich() {
    mpi::Capabilities mpi;
    mpi.implementation = "MPICH";
    mpi.version = "5.0.2";
    return mpi;
}

plan::CostModel model() {
    plan::CostModel made;
    made.starts[{plan::Start::launch, plan::Overlap::background}] = {
        {0.1, 0.01, 0}, {0, 0, 0.02}, 1.25, 1, 9};
    made.merge = {0.001, 0, 0};
    made.split = {0, 0.0001, 0};
    return made;
}

std::string refused(json file) {
    try {
        costs_from_json(file, mpich());
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(CostsFile, WhatIsWrittenIsRead) {
    char folder[] = "/tmp/ductile-costs-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    const auto path = std::string(folder) + "/deeper/costs.json";
    write_costs(path, model(), mpich());
    EXPECT_EQ(read_costs(path, mpich()), model());
    ::setenv("XDG_CONFIG_HOME", folder, 1);
    EXPECT_TRUE(costs_of_this_user(mpich()).empty());  // none there
    write_costs(costs_path(), model(), mpich());
    EXPECT_EQ(costs_of_this_user(mpich()), model());
    auto other = mpich();
    other.version = "4.3.2";
    EXPECT_TRUE(costs_of_this_user(other).empty());
    EXPECT_THROW(read_costs(path, other), InputError);
    EXPECT_THROW(read_costs(std::string(folder) + "/nothing", mpich()), InputError);
    std::ofstream(path) << "{";
    EXPECT_THROW(read_costs(path, mpich()), InputError);
    EXPECT_THROW(write_costs("/proc/nowhere/costs.json", model(), mpich()), SystemError);
    ::unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(folder);
}

TEST(CostsFile, BadInputIsNamedWithItsPlace) {
    const auto good = to_json(model(), mpich());
    EXPECT_EQ(refused(good), "");
    EXPECT_NE(refused(json::array()), "");
    EXPECT_NE(refused(json{{"mpi", 3}}), "");
    auto bad = good;
    bad.erase("merge");
    EXPECT_EQ(refused(bad), "merge is missing");
    bad = good;
    bad["split"]["per_rank"] = -1;
    EXPECT_NE(refused(bad).find("split.per_rank is not from 0"), std::string::npos);
    bad["split"]["per_rank"] = "much";
    EXPECT_EQ(refused(bad), "split.per_rank is not a number");
    bad = good;
    bad["starts"][0]["start"] = "slow";
    EXPECT_NE(refused(bad).find("starts[0] names an unknown start"), std::string::npos);
    bad = good;
    bad["starts"][0]["omega"] = 0.5;
    EXPECT_NE(refused(bad).find("starts[0].omega"), std::string::npos);
    bad = good;
    bad["starts"][0].erase("spawn");
    EXPECT_EQ(refused(bad), "starts[0].spawn is missing");
    bad["starts"][0] = 7;
    EXPECT_EQ(refused(bad), "starts[0] is no object");
}

}  // namespace
}  // namespace ductile::cli::costs_file_test
