// Doctor on Debian's `mpich` package, which cannot spawn.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "doctor_support.hpp"

namespace ductile::cli::doctor_debian_test {
namespace {

TEST_F(DoctorTest, DebiansMpichCannotSpawnAndTheCureIsSaid) {
    rms::Command fetch;
    fetch.arguments = {"/bin/sh", DUCTILE_TEST_FETCH, DUCTILE_TEST_DEBIAN_FOLDER};
    fetch.environment = rms::current_environment();
    fetch.deadline = std::chrono::seconds(180);
    const auto fetched = run_command(fetch);
    if (!fetched.succeeded())
        GTEST_SKIP() << "no Debian package to test: " << how_it_ended(fetch, fetched) << ": "
                     << fetched.err;
    const std::string libraries = fetched.out.substr(0, fetched.out.find('\n'));

    auto command =
        doctor({"--json", "--mpi", std::string(DUCTILE_TEST_DEBIAN_FOLDER) + "/root/usr"});
    command.environment["LD_LIBRARY_PATH"] = libraries;
    const auto result = run_command(command);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_LT(result.took, std::chrono::seconds(60)) << "what cannot pass is not waited for";
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report.at("usable"), false);
    EXPECT_EQ(report.at("capabilities").at("spawn"), false);
    EXPECT_EQ(report.at("starts").size(), 0U);
    EXPECT_EQ(verdict_of(report, "mpi"), "fail");
    EXPECT_EQ(verdict_of(report, "versions"), "ok");
    EXPECT_EQ(verdict_of(report, "thread_level"), "ok") << "plain programs run";
    EXPECT_EQ(verdict_of(report, "spawn"), "fail");
    for (const char* part : {"it has only the device ch4:ucx, which cannot spawn",
                             "Error in spawn call", "pip install mpich==5.0.2, or ./scripts/setup"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
    expect_nothing_left();
}

}  // namespace
}  // namespace ductile::cli::doctor_debian_test
