#include <nlohmann/json.hpp>

#include "cli/explain_text.hpp"

#include <gtest/gtest.h>

namespace ductile::cli::explain_text_test {
namespace {

TEST(ExplainText, EachDecisionHasALine) {
    const auto policy = nlohmann::json::parse(R"({"name": "natural", "decisions": [
        {"number": 1, "first_s": 0.5, "last_s": 0.5, "times": 1, "ranks": 1, "to": 3, "why": "a", "outcome": "done"},
        {"number": 2, "first_s": 1.0, "last_s": 5.04, "times": 9, "ranks": 3, "why": "b"},
        {"number": 3, "first_s": 6.0, "last_s": 6.0, "times": 1, "ranks": 3, "to": 2, "for_job": 7, "why": "c"}]})");
    EXPECT_EQ(explain_text(policy),
              "policy   natural\n\n"
              "            time  ranks        why\n"
              "           0.5 s  1 -> 3       a (done)\n"
              "       1.0-5.0 s  3 stays      b\n"
              "           6.0 s  3 -> 2       c (the resize is open)\n");
}

TEST(ExplainText, APolicyMayHaveDecidedNothing) {
    EXPECT_EQ(explain_text({{"name", "preferred"}, {"decisions", nlohmann::json::array()}}),
              "policy   preferred\nno decision yet\n");
}

TEST(ExplainText, TextsOfSlurmAreMadePrintable) {
    const auto policy = nlohmann::json::parse(R"({"name": "natural", "decisions": [
        {"first_s": 0, "last_s": 0, "times": 1, "ranks": 1, "why": "\u001b[2J"}]})");
    EXPECT_EQ(explain_text(policy).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace ductile::cli::explain_text_test
