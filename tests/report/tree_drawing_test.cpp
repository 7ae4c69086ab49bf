#include "report/tree_drawing.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "sim/group_build.hpp"
#include "well_formed.hpp"

namespace ductile::report::tree_drawing_test {
namespace {

using tree::Algorithm;
using tree::Filler;

std::vector<bool> members(std::size_t n, const std::vector<std::size_t>& ids) {
    std::vector<bool> all(n);
    for (const auto id : ids) all[id] = true;
    return all;
}

const auto six_of_10 = members(10, {0, 4, 6, 7, 8, 9});

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

// As the docs show it.
TEST(TreeDrawing, InATerminal) {
    const auto build = sim::build_in_stages({Algorithm::shrink_and_hash, Filler::child}, six_of_10);
    EXPECT_EQ(
        draw_text(build),
        R"(The parent group's tree (shrink_and_hash, filler child, k = 3): 6 of 10 processes are members
[0]
├── (1)
│   ├── [4]
│   ├── (5)
│   └── [6]
├── (2)
│   ├── [7]
│   ├── [8]
│   └── [9]
└── (3)

Level 2 has reported: 5 has nobody below it
[0]
├── (1)
│   ├── [4]
│   └── [6]
├── (2)
│   ├── [7]
│   ├── [8]
│   └── [9]
└── (3)

Level 1 has reported: 4 fills hole 1; 7 fills hole 2; 3 has nobody below it
[0]
├── [4] fills 1
│   └── [6]
└── [7] fills 2
    ├── [8]
    └── [9]

The ranks, handed down where the upward pass left the members
[0] rank 0
├── [4] rank 1
│   └── [6] rank 2
└── [7] rank 3
    ├── [8] rank 4
    └── [9] rank 5

The new group's tree, after 34 messages
[0] rank 0
├── [4] rank 1
│   ├── [8] rank 4
│   └── [9] rank 5
├── [6] rank 2
└── [7] rank 3
)");
}

TEST(TreeDrawing, SaysWhatIsOfferedAndHowMany) {
    const auto leaf =
        draw_text(sim::build_in_stages({Algorithm::shrink_and_hash, Filler::leaf}, six_of_10));
    EXPECT_EQ(count(leaf, "Leaves offered: 1 offers 6; 2 offers 8 9\n"), 1) << leaf;
    const auto none = draw_text(sim::build_in_stages({}, six_of_10));
    EXPECT_EQ(count(none, "├── (2) size 3\n"), 1) << none;
    EXPECT_EQ(count(none, "(5) size 0\n"), 1) << none;
}

/// Each edge is between vertices that were named, and braces and quotes are even.
TEST(TreeDrawing, InGraphvizLanguage) {
    const auto dot =
        draw_dot(sim::build_in_stages({Algorithm::shrink_and_hash, Filler::leaf}, six_of_10));
    EXPECT_EQ(dot.rfind("digraph trees {", 0), 0U);
    EXPECT_EQ(count(dot, "{"), count(dot, "}"));
    EXPECT_EQ(count(dot, "\"") % 2, 0);
    EXPECT_EQ(count(dot, "subgraph cluster_"), 5);
    std::set<std::string> named;
    const std::regex vertex(R"(\n    (s\d+_\d+) \[)"), edge(R"((s\d+_\d+) -> (s\d+_\d+);)");
    const auto end = std::sregex_iterator();
    for (auto it = std::sregex_iterator(dot.begin(), dot.end(), vertex); it != end; ++it)
        EXPECT_TRUE(named.insert((*it)[1]).second) << (*it)[1];
    int edges = 0;
    for (auto it = std::sregex_iterator(dot.begin(), dot.end(), edge); it != end; ++it, ++edges)
        EXPECT_TRUE(named.contains((*it)[1]) && named.contains((*it)[2])) << it->str();
    EXPECT_EQ(named.size(), static_cast<std::size_t>(edges) + 5) << "a tree in each cluster";
    EXPECT_EQ(count(dot, "s0_1 [label=\"1\", style=dashed];"), 1);
    EXPECT_EQ(count(dot, "s0_0 -> s0_1;"), 1);
}

TEST(TreeDrawing, AsSvg) {
    const auto build = sim::build_in_stages({Algorithm::shrink_and_hash, Filler::leaf}, six_of_10);
    const auto svg = draw_svg(build);
    EXPECT_EQ(fault_in_markup(svg), "");
    EXPECT_EQ(count(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\""), 1);
    std::size_t vertices = 0, edges = 0;
    for (const auto& stage : build.stages) {
        vertices += stage.tree.size();
        edges += stage.tree.size() - 1;
    }
    EXPECT_EQ(count(svg, "<circle "), static_cast<int>(vertices));
    EXPECT_EQ(count(svg, "<line "), static_cast<int>(edges));
    EXPECT_EQ(count(svg, "class=\"moved\""), 2);
    EXPECT_EQ(count(svg, ">rank 5</text>"), 2);
    EXPECT_NE(svg.find("parent group&#39;s tree"), std::string::npos);
    for (const char* part : {"href", "url(", "<script", "nan", "inf"})
        EXPECT_EQ(svg.find(part), std::string::npos) << part;
}

/// No two processes of a level stand on each other, whatever the tree.
TEST(TreeDrawing, SvgLeavesRoom) {
    const std::regex circle(R"re(cx="([0-9.]+)" cy="([0-9]+)")re");
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const auto svg = draw_svg(sim::build_in_stages(
            {Algorithm::shrink_and_balance, Filler::leaf, 2}, sim::draw_members(60, 20, seed)));
        std::set<std::pair<int, double>> places;
        for (auto it = std::sregex_iterator(svg.begin(), svg.end(), circle);
             it != std::sregex_iterator(); ++it)
            places.insert({std::stoi((*it)[2]), std::stod((*it)[1])});
        EXPECT_EQ(static_cast<int>(places.size()), count(svg, "<circle "));
        for (auto it = places.begin(); it != places.end(); ++it) {
            const auto next = std::next(it);
            if (next != places.end() && next->first == it->first) {
                EXPECT_GE(next->second - it->second, 26) << "two radii";
            }
        }
    }
}

}  // namespace
}  // namespace ductile::report::tree_drawing_test
