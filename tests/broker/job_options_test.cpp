#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "broker/job_options_json.hpp"
#include "ductile/error.hpp"

namespace ductile::broker::job_options_test {
namespace {

JobOptions example() {
    return {{"tag", {true, Origin::file}},
            {"ranks", {4, Origin::command_line}},
            {"min", {2, Origin::code}},
            {"inhibitor", {1.5, Origin::environment}},
            {"heartbeat", {1.0, Origin::standard}},
            {"mpi", {"4", Origin::command_line}}};
}

TEST(JobOptions, ComeBackAsTheyWere) {
    for (const auto& options : {JobOptions{}, example()})
        EXPECT_EQ(job_options_from(nlohmann::json::parse(to_json(options).dump())), options);
}

TEST(JobOptions, AreShownWithTheirOrigin) {
    EXPECT_EQ(to_json(example()).at("ranks"),
              nlohmann::json({{"value", 4}, {"from", "command line"}}));
    EXPECT_EQ(to_json(example()).at("heartbeat"),
              nlohmann::json({{"value", 1.0}, {"from", "default"}}));
}

TEST(JobOptions, WhatNoOptionIsIsRefusedByItsName) {
    const auto objection = [](const char* json) -> std::string {
        try {
            job_options_from(nlohmann::json::parse(json));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(objection("[]"), "the settings are not an object");
    EXPECT_EQ(objection(R"({"tag": true})"), "settings.tag.value is missing");
    EXPECT_EQ(objection(R"({"tag": {"value": true}})"), "settings.tag.from is missing");
    for (const auto* value : {"null", "[1]", "{}", "18446744073709551615"})
        EXPECT_EQ(
            objection(
                (R"({"tag": {"from": "file", "value": )" + std::string(value) + "}}").c_str()),
            "settings.tag.value is neither text nor a number nor true or false");
    for (const auto* from : {"\"\"", "\"elsewhere\"", "1"})
        EXPECT_EQ(
            objection((R"({"tag": {"value": 1, "from": )" + std::string(from) + "}}").c_str()),
            "settings.tag.from is not a known source of an option");
}

}  // namespace
}  // namespace ductile::broker::job_options_test
