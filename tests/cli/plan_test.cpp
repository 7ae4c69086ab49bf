// `ductile plan` as a user runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ductile_program.hpp"

namespace ductile::cli::plan_test {
namespace {

using nlohmann::json;

rms::CommandResult plan(std::vector<std::string> words) {
    words.insert(words.begin(), "plan");
    return run_ductile(words);
}

json planned(std::vector<std::string> words) {
    words.emplace_back("--json");
    const auto result = plan(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
}

/// parallel-spawning-strategies, Table 2. With the allocation of the table, equation 6 gives 8 for
/// lambda_2 and 48 for lambda_3. The paper prints 7 and 47.
TEST(Plan, HasTheColumnsOfTable2) {
    const auto steps = planned({"--start", "diffusive", "--allocation", "4,2,8,12,3,3,4,4,6,3",
                                "--running", "2,0,0,0,0,0,0,0,0,0"})
                           .at("steps");
    ASSERT_EQ(steps.size(), 4U);
    const auto column = [&](const char* name) {
        std::vector<int> values;
        for (const auto& step : steps)
            values.push_back(step.at(name).is_null() ? -1 : step.at(name).get<int>());
        return values;
    };
    EXPECT_EQ(column("s"), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(column("t"), (std::vector{2, 6, 40, 49}));
    EXPECT_EQ(column("g"), (std::vector{-1, 4, 34, 9}));
    EXPECT_EQ(column("lambda"), (std::vector{0, 2, 8, 48}));
    EXPECT_EQ(column("T"), (std::vector{1, 2, 8, 10}));
    EXPECT_EQ(column("G"), (std::vector{-1, 1, 6, 2}));
}

TEST(Plan, ShowsEachStart) {
    for (const std::string start : {"collective", "single", "hypercube", "diffusive", "launch"}) {
        const auto made = planned({"--from", "1x2", "--to", "4x2", "--start", start});
        EXPECT_EQ(made.at("start"), start);
        EXPECT_EQ(made.at("kind"), "expand");
        EXPECT_EQ(plan({"--from", "1x2", "--to", "4x2", "--start", start, "--dot"})
                      .out.rfind("digraph", 0),
                  0U)
            << start;
    }
}

TEST(Plan, ShrinksToAnySizeByTheLastRanks) {
    const auto whole = planned({"--from", "4x2", "--to", "2x2"});
    EXPECT_EQ(whole.at("kind"), "shrink");
    for (const std::string kind : {"ts", "park"}) {
        const auto shown = plan({"--from", "4x2", "--to", "1x3", "--shrink", kind});
        EXPECT_EQ(shown.code, 0) << shown.err;
        const std::string words = kind == "ts" ? "5 ranks leave" : "4 ranks leave, 1 rank parks";
        EXPECT_NE(shown.out.find(words), std::string::npos) << shown.out;
    }
    EXPECT_EQ(plan({"--from", "4x2", "--to", "1x3"}).out,
              plan({"--from", "4x2", "--to", "1x3", "--shrink", "ts"}).out);
}

TEST(Plan, SaysWhichRanksLeaveAndPark) {
    const auto made = planned({"--from", "2x2", "--to", "1x1", "--shrink", "park"});
    EXPECT_EQ(made.at("leaving"),
              json::parse(R"([{"group": 0, "host": 1, "first": 2, "ranks": 2}])"));
    EXPECT_EQ(made.at("parking"),
              json::parse(R"([{"group": 0, "host": 0, "first": 1, "ranks": 1}])"));
    EXPECT_EQ(made.at("after"),
              json::parse(R"([{"group": 0, "host": 0, "first": 0, "ranks": 1}])"));
}

TEST(Plan, TakesTheLargestSizeOfARange) {
    const auto to = [](const std::string& ranks, const std::string& running) {
        return plan({"--allocation", "2,2,2", "--running", running, "--ranks", ranks});
    };
    EXPECT_NE(to("3:5", "2").out.find("expand 2 -> 5 ranks"), std::string::npos);
    EXPECT_NE(to("3:9", "2").out.find("expand 2 -> 6 ranks"), std::string::npos);
    EXPECT_NE(to("1:9", "2").out.find("expand 2 -> 6 ranks"), std::string::npos);
    EXPECT_NE(to("2:3", "2,2").out.find("shrink 4 -> 3 ranks"), std::string::npos);
    EXPECT_NE(to("2:4", "2,2").err.find("has a size of 4 already"), std::string::npos);
    EXPECT_NE(to("7:9", "2").err.find("ask for at most 6"), std::string::npos);
}

TEST(Plan, LaunchesOneWorldOverAllNewHosts) {
    const auto made = planned({"--from", "1x2", "--to", "3x2", "--start", "launch"});
    EXPECT_EQ(made.at("added"), json::parse(R"([{"id": 1, "host": 1, "ranks": 4, "first_rank": 2,
                               "shares": [{"host": 1, "ranks": 2}, {"host": 2, "ranks": 2}]}])"));
    EXPECT_EQ(made.at("rounds"), json::array());
}

/// dynamic-spawning-methods, section 3: until the old ranks end, Baseline needs room for both.
TEST(Plan, CountsOldAndNewRanksOfABaselineTogether) {
    const std::vector<std::string> words{"--from", "2x2", "--to", "3x2", "--method", "baseline"};
    EXPECT_EQ(planned(words).at("together"),
              json::parse(R"([{"host": 0, "ranks": 4}, {"host": 1, "ranks": 4},
                              {"host": 2, "ranks": 2}])"));
    const auto shown = plan(words).out;
    EXPECT_NE(
        shown.find("starts  together  ranks\nhost0      2        2     2  g1          2       "
                   "  4  0-1\n"),
        std::string::npos)
        << shown;
    EXPECT_EQ(plan({"--from", "2x2", "--to", "3x2"}).out.find("together"), std::string::npos);
}

TEST(Plan, RefusesWhatCannotBe) {
    struct {
        std::vector<std::string> words;
        std::string said;
    } const cases[] = {
        {{}, "either --from and --to"},
        {{"--from", "1x2"}, "either --from and --to"},
        {{"--from", "0x2", "--to", "1x2"}, "0x2"},
        {{"--from", "1x2", "--to", "1x2"}, "nothing to plan"},
        {{"--allocation", "4,,2", "--running", "1"}, "--allocation"},
        {{"--allocation", "4", "--running", "1,1"}, "--running names 2"},
        {{"--allocation", "4", "--running", "0"}, "no rank"},
        {{"--from", "1x2", "--to", "4x2", "--dot", "all"}, "--dot is 'all'"},
        {{"--from", "1x2", "--to", "4x2", "--shrink", "ts"}, "and this plan is not one"},
        {{"--from", "4x2", "--to", "1x2", "--shrink", "ts", "--method", "baseline"},
         "and this plan is not one"},
        {{"--allocation", "4", "--running", "1", "--ranks", "4:2"}, "--ranks is '4:2'"},
        {{"--allocation", "4", "--running", "1", "--ranks", "0"}, "--ranks is '0'"},
        {{"--from", "1x2", "--to", "4x2", "--start", "magic"}, "magic"}};
    for (const auto& one : cases) {
        const auto refused = plan(one.words);
        EXPECT_EQ(refused.code, 2) << one.said;
        EXPECT_NE(refused.err.find(one.said), std::string::npos) << refused.err;
    }
}

}  // namespace
}  // namespace ductile::cli::plan_test
