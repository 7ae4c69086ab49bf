#include "plan/start_dot.hpp"

#include <gtest/gtest.h>

namespace ductile::plan::start_dot_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Layout;

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

struct Example {
    Layout sources;
    StartPlan plan;
};

Example hypercube(int cores, int hosts) {
    Example e;
    e.sources = Layout::of({{GroupId{0}, HostIndex{0}, cores}});
    core::Allocation allocation;
    for (int i = 0; i < hosts; ++i) allocation.hosts.push_back({"h" + std::to_string(i), cores});
    e.plan = std::get<StartPlan>(plan_start(
        e.sources, allocation, {Method::merge, Start::hypercube, cores * hosts, GroupId{1}}));
    return e;
}

// The edges of the cube; group ids of the figure are ours less 1.
TEST(StartDot, Figure1) {
    const auto [sources, plan] = hypercube(1, 8);
    const auto dot = dot_of_starts(plan, sources);
    for (const auto* edge :
         {"sources -> g1 [label=\"step 1", "sources -> g2 [label=\"step 2",
          "g1 -> g3 [label=\"step 2", "sources -> g4 [label=\"step 3", "g1 -> g5 [label=\"step 3",
          "g2 -> g6 [label=\"step 3", "g3 -> g7 [label=\"step 3"})
        EXPECT_EQ(count(dot, edge), 1) << edge;
    EXPECT_EQ(count(dot, "->"), 7);
}

// Six groups of two ranks: two in the first step, four in the second. The initial ranks and the
// paper's group 0 need barriers.
TEST(StartDot, Figure2) {
    const auto [sources, plan] = hypercube(2, 7);
    const auto dot = dot_of_synchronisation(plan, sources);
    EXPECT_EQ(count(dot, "->"), 12);
    EXPECT_EQ(count(dot, "g1_up -> sources_up;"), 1);
    EXPECT_EQ(count(dot, "sources_down -> g1_down;"), 1);
    EXPECT_EQ(count(dot, "g5_up -> g1_up;"), 1);
    EXPECT_EQ(count(dot, "g6_up -> g1_up;"), 1);
    EXPECT_EQ(count(dot, "sources_up [label=\"sources\\n2 ranks\", style=striped"), 1);
    EXPECT_EQ(count(dot, "g1_up [label=\"g1\\n2 ranks\", style=striped"), 1);
    EXPECT_EQ(count(dot, "striped"), 4);
}

TEST(StartDot, Figure3) {
    const auto [sources, plan] = hypercube(1, 8);
    const auto dot = dot_of_connections(plan);
    for (const auto* set :
         {"[label=\"g1 g7\"]", "[label=\"g2 g6\"]", "[label=\"g3 g5\"]", "[label=\"g1 g7 g4\"]",
          "[label=\"g2 g6 g3 g5\"]", "[label=\"g1 g7 g4 g2 g6 g3 g5\"]"})
        EXPECT_EQ(count(dot, set), 1) << set;
    EXPECT_EQ(count(dot, "connects"), 6);
}

}  // namespace
}  // namespace ductile::plan::start_dot_test
