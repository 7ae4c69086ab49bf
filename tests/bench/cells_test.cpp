#include "process_management/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::bench::cells_test {
namespace {

Cell cell(int from, int to, const std::string& strategy, std::vector<double> totals) {
    Cell made{from, to, strategy, {}};
    for (const double total : totals) {
        Sample sample;
        sample.total_s = sample.lost_s = total;
        made.samples.push_back(sample);
    }
    return made;
}

std::vector<double> around(double middle) {
    std::vector<double> values;
    for (int i = -4; i <= 4; ++i) values.push_back(middle + i);
    return values;
}

TEST(Cells, WaysThatCannotBeToldApartAreBestTogether) {
    const auto a = cell(1, 4, "a", around(10)), b = cell(1, 4, "b", around(10.4)),
               c = cell(1, 4, "c", around(30));
    EXPECT_EQ(best_of({&c, &b, &a}, &Sample::total_s), (std::vector<std::string>{"a", "b"}));
    const auto map = best_map({a, c, cell(4, 1, "c", around(2))});
    EXPECT_EQ(map["1->4"]["total"], (std::vector<std::string>{"a"}));
    EXPECT_EQ(map["4->1"]["lost"], (std::vector<std::string>{"c"}));
}

TEST(Cells, AlphaIsBackgroundOverBlockingOfTheSameWay) {
    const std::vector<Cell> cells{cell(1, 4, "merge single blocking", around(100)),
                                  cell(1, 4, "merge single background", around(150)),
                                  cell(2, 4, "merge single background", around(150))};
    EXPECT_DOUBLE_EQ(alpha_of(cells[1], cells), 1.5);
    EXPECT_DOUBLE_EQ(alpha_of(cells[0], cells), 0);
    EXPECT_DOUBLE_EQ(alpha_of(cells[2], cells), 0);
}

TEST(Cells, ASampleTakesItsPartsFromTheRecord) {
    OurResize resize;
    resize.total_s = 0.2;
    resize.stall_s = 0.01;
    resize.overlapped = 50;
    resize.iteration_quiet_s = 0.001;
    resize.iteration_pending_s = 0.0015;
    resize.record = {
        {"join_s", 0.004},
        {"spawn_s", 0.09},
        {"since_accepted_s", {{"launched", 0.01}, {"spawned", 0.12}, {"bridged", 0.13}}}};
    const auto spawned = sample_of(resize);
    EXPECT_DOUBLE_EQ(spawned.spawn_s, 0.09);
    EXPECT_NEAR(spawned.connect_s, 0.01, 1e-12);
    EXPECT_DOUBLE_EQ(spawned.omega, 1.5);
    EXPECT_NEAR(spawned.lost_s, 0.01 + 50 * 0.0005, 1e-12);
    resize.record["since_accepted_s"] = {{"launched", 0.01}, {"ready", 0.1}, {"bridged", 0.12}};
    EXPECT_NEAR(sample_of(resize).spawn_s, 0.09, 1e-12);
    resize.record["since_accepted_s"] = nlohmann::json::object();
    EXPECT_DOUBLE_EQ(sample_of(resize).spawn_s, 0);
}

TEST(Cells, AreReadAsTheyWereWritten) {
    const std::vector<Cell> cells{cell(1, 4, "merge single blocking", around(100)),
                                  cell(4, 1, "merge - -", around(5))};
    const auto read = cells_in(to_json(cells));
    EXPECT_EQ(to_json(read), to_json(cells));
    EXPECT_EQ(read[1].samples.size(), 9u);
    EXPECT_THROW(cells_in({{{"way", 3}}}), InputError);
}

TEST(Cells, TheCsvMarksTheWaysThatAreBest) {
    const auto text = to_csv({cell(1, 4, "merge single blocking", around(100)),
                              cell(1, 4, "merge launch background", around(30))});
    EXPECT_NE(text.find("alpha,best_in_all,best_for_the_program\n1,4,merge,single,blocking,9,"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(",0,0\n1,4,merge,launch,background,9,"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(",1,1\n")) << text;
}

TEST(Cells, ThePageNamesTheWaysThatAreBest) {
    const std::vector<Cell> cells{cell(1, 4, "merge single blocking", around(100)),
                                  cell(1, 4, "merge launch background", around(30)),
                                  cell(4, 1, "merge - -", around(5))};
    const auto page = render_page(cells, {{"repeat", 9}, {"machine", {{"processor", "<p>"}}}}, "");
    for (const char* part :
         {"\"text\":\"M launch bg\"", "\"text\":\"M leave\"", "1 → 4", "&lt;p&gt;", "id=\"omega\""})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("\"text\":\"M single\""), std::string::npos) << "it is not the best";
}

TEST(Ways, AreThoseByWhichBothDirectionsCanBeDone) {
    const auto uniform = strategies_between({4, 16}, 4, 4);
    EXPECT_EQ(uniform.size(), 20u);
    const auto ragged = strategies_between({1, 8}, 4, 4);
    EXPECT_EQ(ragged.size(), 16u) << "no hypercube where hosts differ";
    EXPECT_TRUE(std::none_of(ragged.begin(), ragged.end(), [](const plan::Strategy& strategy) {
        return strategy.start == plan::Start::hypercube;
    }));
    EXPECT_EQ(
        options_of(uniform.front()),
        (std::vector<std::string>{"--method=merge", "--start=collective", "--overlap=blocking"}));
}

TEST(Ways, PairsAreReadSmallerFirst) {
    EXPECT_EQ(pairs_in("4:1,2:8", 16), (std::vector<Pair>{{1, 4}, {2, 8}}));
    EXPECT_EQ(all_pairs({1, 2, 4}).size(), 3u);
    for (const char* bad : {"4", "4:", ":4", "4:4", "0:4", "1:17", "1:4x"})
        EXPECT_THROW(pairs_in(bad, 16), InputError) << bad;
    EXPECT_EQ(shape_of(2, 4).ranks(), 2);
    EXPECT_EQ(shape_of(8, 4).hosts, 2);
}

TEST(Cells, APairOfWhichAllSamplesFailedIsInTheCsv) {
    const auto text = to_csv({cell(1, 4, "merge launch blocking", {})});
    EXPECT_NE(text.find("\n1,4,merge,launch,blocking,0,"), std::string::npos) << text;
}

}  // namespace
}  // namespace ductile::bench::cells_test
