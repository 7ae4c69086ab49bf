#include <nlohmann/json.hpp>

#include "report/tree_study_page.hpp"

#include <gtest/gtest.h>

#include "report/tree_study_charts.hpp"
#include "sim/study_comparison.hpp"
#include "sim/table_ii.hpp"

namespace ductile::report::tree_study_page_test {
namespace {

using sim::StudyRow;
using tree::Algorithm;
using tree::Filler;

/// As balanced-spanning-trees prints it, with times twice as long and leaf and child fillers 1 us
/// apart.
sim::TreeStudy printed_study(int most) {
    sim::TreeStudy study;
    study.costs = {5.25, 5.25, 0.002};
    for (const auto& printed : sim::table_ii) {
        for (std::size_t i = 0; i < printed.cells.size(); ++i) {
            const int n = sim::table_ii_processes.at(i);
            if (n > most) continue;
            const auto& cell = printed.cells[i];
            StudyRow row;
            row.algorithm = printed.algorithm;
            row.filler = sim::printed_filler(printed.algorithm);
            row.n = n;
            row.m = sim::members_in(printed.fraction, i);
            row.fraction = printed.fraction;
            row.messages = cell.messages.value_or(123456);
            row.time_us = 2.0 * cell.time_us.value_or(1000);
            row.paper_messages = cell.messages;
            row.paper_time_us = cell.time_us;
            study.rows.push_back(row);
            if (row.algorithm != Algorithm::shrink_and_hash) continue;
            row.paper_messages = row.paper_time_us = std::nullopt;
            for (const auto filler : {Filler::child, Filler::leaf}) {
                row.filler = filler;
                row.time_us += 1;
                study.rows.push_back(row);
            }
        }
    }
    return study;
}

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

TEST(TreeStudyPage, HoldsTheTableTheFiguresAndTheLibrary) {
    const auto page = render_tree_study(printed_study(131072), 7, "the_library()");
    for (const char* part :
         {"<script>the_library()</script>", "id=\"messages\"", "id=\"times\"",
          "id=\"relative_times\"", "id=\"fillers_0\"", "id=\"fillers_3\"", "(n = 64k)", "(seed 7)",
          "49 of 49", "m = M<sub>c</sub> − n + 2", "5.250 µs + 0.00200 µs a byte",
          "timed and not counted", "+91 % and +20 %"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("The cells that differ"), std::string::npos);
    EXPECT_EQ(count(page, "<h3>Fraction "), 7 + 4);
    const std::string cell =
        "<td>shrink_and_hash</td><td>64k</td><td>19792</td><td>0</td><td>163142</td><td>163142</td>"
        "<td>+0.0 %</td><td>1360</td><td>680</td><td>+100.0 %</td>";
    EXPECT_EQ(count(page, cell), 1);
    EXPECT_EQ(count(page, "<td>123456</td><td>–</td><td>–</td><td>2000</td><td>–</td><td>–</td>"),
              3)
        << "what the paper leaves empty is a dash";
    for (const char* part : {"src=", "href=", "url(", "http:", "https:"})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(TreeStudyPage, NamesTheCellsWithAnotherWinner) {
    auto study = printed_study(4096);
    for (auto& row : study.rows)
        if (row.fraction == 0.9 && row.n == 4096 && row.algorithm == Algorithm::centralized)
            row.time_us = 535;
    const auto page = render_tree_study(study, 1, "");
    EXPECT_NE(page.find("13 of 14"), std::string::npos);
    EXPECT_EQ(count(page,
                    "<tr><td>0.9</td><td>4k</td><td>centralized</td><td>shrink_and_hash</td>"
                    "<td>+100.0 %</td></tr>"),
              1);
    EXPECT_NE(page.find("(n = 4k)"), std::string::npos) << "figures are of the largest simulated";
}

TEST(TreeStudyCharts, OursAreSolidAndThePapersDashed) {
    const auto study = printed_study(131072);
    const auto messages = messages_chart(study);
    ASSERT_EQ(messages["data"].size(), 4U);
    EXPECT_EQ(messages["data"][0]["line"]["dash"], "solid");
    EXPECT_EQ(messages["data"][1]["line"]["dash"], "dash");
    EXPECT_EQ(messages["data"][2]["name"], "shrink_and_hash");
    EXPECT_EQ(messages["data"][3]["name"], "shrink_and_hash, paper");
    const auto at_03 = messages["data"][3]["y"][3].get<double>();
    EXPECT_EQ(messages["data"][3]["x"][3], "0.3");
    EXPECT_NEAR(at_03, 163142.0 / 85326, 1e-12) << "+91 %";
    EXPECT_NEAR(messages["data"][1]["y"][3].get<double>(), 102684.0 / 85326, 1e-12) << "+20 %";
}

TEST(TreeStudyCharts, HaveALineForEachFillerAndAlgorithm) {
    const auto study = printed_study(131072);
    const auto fillers = fillers_chart(study, 0.3);
    ASSERT_EQ(fillers["data"].size(), 4U) << "three, and the paper's";
    EXPECT_EQ(fillers["data"][0]["x"].size(), 7U);
    EXPECT_EQ(fillers["data"][0]["x"][6], "128k");
    EXPECT_EQ(fillers["data"][1]["y"][0], 2 * 466 + 1);
    EXPECT_EQ(fillers["data"][3]["y"][0], 466);
    EXPECT_EQ(times_chart(study)["data"].size(), 6U);
    EXPECT_EQ(times_chart(study)["layout"]["yaxis"]["type"], "log");
    EXPECT_NEAR(relative_times_chart(study)["data"][0]["y"][6].get<double>(), 1946.0 / 4098, 1e-12);
    EXPECT_EQ(figure_processes(printed_study(8192)), 8192);
}

}  // namespace
}  // namespace ductile::report::tree_study_page_test
