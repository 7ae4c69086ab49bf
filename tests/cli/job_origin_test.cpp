// What the journal keeps about a job for `ductile run --resume`.
#include <nlohmann/json.hpp>

#include "cli/job_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cli::job_origin_test {
namespace {

using testing::HasSubstr;

JobOrigin origin() {
    JobOrigin origin;
    origin.launch.program = {"/bin/true"};
    origin.launch.directory = "/";
    origin.hosts.hosts = {{"node1", 2}, {"node2", 4}};
    origin.logical = true;
    return origin;
}

std::string refusal(const nlohmann::json& json) {
    try {
        job_origin_from(json);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(JobOrigin, ComesBackAsItWas) {
    auto given = origin();
    for (const auto job : {std::optional<rms::SlurmJob>(), std::optional(rms::SlurmJob{4711})}) {
        given.slurm_job = job;
        const auto json = to_json(given);
        EXPECT_EQ(json.contains("slurm_job"), job.has_value());
        const auto back = job_origin_from(json);
        EXPECT_EQ(back.slurm_job, job);
        EXPECT_EQ(back.launch.program, given.launch.program);
        EXPECT_EQ(back.hosts, given.hosts);
        EXPECT_TRUE(back.logical);
        EXPECT_EQ(to_json(back), json);
    }
}

TEST(JobOrigin, AnotherValueThanANumberIsNoSlurmJob) {
    auto json = to_json(origin());
    for (const auto& value : {nlohmann::json("4711"), nlohmann::json(-1), nlohmann::json(4711.5),
                              nlohmann::json(nullptr)}) {
        json["slurm_job"] = value;
        EXPECT_EQ(refusal(json), "origin.slurm_job is no number of a Slurm job") << value;
    }
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1} << 32U}) {
        json["slurm_job"] = number;
        EXPECT_THAT(refusal(json), HasSubstr("no number of a Slurm job")) << number;
    }
}

TEST(JobOrigin, AFieldThatIsMissingIsNamed) {
    for (const auto* field : {"settings", "launch", "hosts", "logical"}) {
        auto json = to_json(origin());
        json.erase(field);
        EXPECT_THAT(refusal(json), HasSubstr(std::string("origin.") + field + " is missing"));
    }
}

}  // namespace
}  // namespace ductile::cli::job_origin_test
