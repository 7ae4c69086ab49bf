// The lines between a job and the program that decides its size.
#include "broker/policy_lines_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::broker::policy_lines_test {
namespace {

PolicyQuestion question() {
    PolicyQuestion asked;
    asked.job.ranks = 7;
    asked.job.hosts = {{2, false}, {2, true}, {2, true}, {1, true}};
    asked.job.free_slots = 1;
    asked.job.slots_per_host = 2;
    asked.job.max = 16;
    asked.cluster = {3, {{policy::WaitingJobId{57}, 2}, {policy::WaitingJobId{58}, 9, "1-4"}}};
    asked.now_s = 12.5;
    return asked;
}

std::string refused(const std::string& line) {
    try {
        static_cast<void>(decision_for(question().job, parse_decision(line)));
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

TEST(PolicyLinesTest, AQuestionHoldsTheJobAndTheCluster) {
    EXPECT_EQ(nlohmann::json::parse(decide_line(3, question())), nlohmann::json::parse(R"({
        "type": "decide", "id": 3, "now_s": 12.5,
        "job": {"ranks": 7, "free_slots": 1, "slots_per_host": 2,
                "min": 0, "max": 16, "preferred": 0, "multiple": 0,
                "hosts": [{"hosts": 1, "ranks": 2, "returnable": false},
                          {"hosts": 2, "ranks": 2, "returnable": true},
                          {"hosts": 1, "ranks": 1, "returnable": true}]},
        "cluster": {"idle_hosts": 3, "waiting_in_all": 2,
                    "waiting": [{"id": 57, "hosts": 2}, {"id": 58, "hosts": 9}]}})"));
    EXPECT_EQ(nlohmann::json::parse(policy_hello_line("job-1")),
              nlohmann::json::parse(R"({"type": "hello", "version": 1, "job": "job-1"})"));
}

TEST(PolicyLinesTest, AQuestionHoldsTheEfficiencyIfItIsKnown) {
    auto asked = question();
    EXPECT_FALSE(nlohmann::json::parse(decide_line(3, asked)).at("job").contains("efficiency"));
    asked.job.efficiency = 0.75;
    EXPECT_EQ(nlohmann::json::parse(decide_line(3, asked)).at("job").at("efficiency"), 0.75);
}

TEST(PolicyLinesTest, ALongQueueIsCut) {
    auto asked = question();
    asked.cluster.waiting.resize(100'000, {policy::WaitingJobId{~std::uint64_t{0}}, 1 << 20});
    const auto line = decide_line(1, asked);
    EXPECT_LT(line.size(), max_policy_line);
    EXPECT_EQ(nlohmann::json::parse(line).at("cluster").at("waiting_in_all"), 100'000);
}

policy::Decision decision_in(const std::string& line) {
    return decision_for(question().job, parse_decision(line));
}

TEST(PolicyLinesTest, ADecisionNamesRanksOrHostsOrNothing) {
    const std::string grown = R"({"type": "decision", "id": 3, "ranks": 9, "why": "a\nb"})";
    EXPECT_EQ(parse_decision(grown).id, 3);
    EXPECT_EQ(decision_in(grown), (policy::Decision{9, {}, {}, "a b", true}));
    EXPECT_EQ(decision_in(R"({"type": "decision", "id": 3, "hosts": 3})"),
              (policy::Decision{6, 3, {}, "the program gives no reason", true}));
    for (const char* same : {R"({"type": "decision", "id": 3, "why": ""})",
                             R"({"type": "decision", "id": 3, "ranks": 7, "why": ""})",
                             R"({"type": "decision", "id": 3, "hosts": 4, "why": ""})",
                             R"({"type": "decision", "id": 3, "ranks": 0, "hosts": 0, "why": ""})"})
        EXPECT_EQ(decision_in(same), (policy::Decision{{}, {}, {}, "", true})) << same;
}

TEST(PolicyLinesTest, ABadLineIsRefusedByItsField) {
    const std::pair<const char*, const char*> table[] = {
        {"four", "the line is not JSON"},
        {"[]", "has no type"},
        {R"({"type": "decide", "id": 3})", "unknown type 'decide'"},
        {R"({"type": "decision"})", "decision.id"},
        {R"({"type": "decision", "id": 0})", "decision.id is 0"},
        {R"({"type": "decision", "id": 3, "ranks": -1})", "decision.ranks is -1"},
        {R"({"type": "decision", "id": 3, "ranks": 9999999})", "decision.ranks is 9999999"},
        {R"({"type": "decision", "id": 3, "ranks": 1.5})", "decision.ranks is not a whole number"},
        {R"({"type": "decision", "id": 3, "ranks": 1, "hosts": 1})", "both ranks and hosts"},
        {R"({"type": "decision", "id": 3, "hosts": 5})", "the job has 4; to grow, give ranks"},
        {R"({"type": "decision", "id": 3, "why": 5})", "decision.why is not text"},
    };
    for (const auto& [line, why] : table)
        EXPECT_NE(refused(line).find(why), std::string::npos) << line << ": " << refused(line);
    EXPECT_NE(refused(R"({"type": "decision", "id": 3, "why": ")" + std::string(5000, 'x') + "\"}")
                  .find("decision.why is longer"),
              std::string::npos);
}

}  // namespace
}  // namespace ductile::broker::policy_lines_test
