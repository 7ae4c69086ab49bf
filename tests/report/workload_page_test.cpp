#include <nlohmann/json.hpp>

#include "report/workload_page.hpp"

#include <gtest/gtest.h>

#include "report/workload_charts.hpp"

namespace ductile::report::workload_page_test {
namespace {

using workload::JobRecord;
using workload::ResizeRecord;

workload::Study study() {
    workload::Study study;
    study.hosts = 4;
    study.time_scale = 0.5;
    return study;
}

JobRecord job(int number, const std::string& class_name, double submit_s, double start_s,
              double end_s, int hosts) {
    JobRecord job;
    job.number = workload::JobNumber{number};
    job.class_name = class_name;
    job.submit_s = submit_s;
    job.start_s = start_s;
    job.end_s = end_s;
    job.hosts = {{start_s, hosts}};
    return job;
}

/// One run of 100 s on half of the hosts, and one of 60 s with a resize.
std::vector<ConfigurationRuns> runs() {
    auto resized = job(1, "a<b", 1000, 1010, 1060, 4);
    ResizeRecord resize;
    resize.total_s = 2;
    resize.spawn_s = 1;
    resized.resizes = {resize};
    return {{"static", {{job(1, "a<b", 1000, 1000, 1100, 2)}}}, {"merge", {{resized}, {resized}}}};
}

TEST(WorkloadPage, ShowsTheTimesOfTheStudyBesideThePapers) {
    const auto page = render_workload(study(), runs(), "the library");
    const auto body = page.substr(0, page.rfind("<script"));
    EXPECT_NE(body.find("<table>"), std::string::npos);
    EXPECT_NE(page.find("<td>static</td><td>1</td><td>200 s</td><td>1.00</td><td>1.00</td>"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("<td>merge</td><td>2</td><td>120 s</td><td>0.60</td><td>0.59</td>"),
              std::string::npos);
    EXPECT_NE(page.find("a&lt;b"), std::string::npos);
    EXPECT_EQ(page.find("<td>a<b"), std::string::npos);
    EXPECT_NE(page.find("the library"), std::string::npos);
}

/// 12 iterations run during 8 s. Alone an iteration takes 0.5 s: 1 s in the study, with a time
/// scale of 0.5. So the speed is 0.75.
TEST(WorkloadPage, ShowsTheSpeedDuringResizes) {
    auto with_class = study();
    with_class.classes.resize(1);
    with_class.classes.front().name = "a<b";
    with_class.classes.front().iteration_s = {{1, 3}, {2, 1}};
    auto overlapped = runs();
    auto& resize = overlapped.back().repetitions.front().front().resizes.front();
    resize.old_hosts = 2;
    resize.total_s = 9;
    resize.stall_s = 1;
    resize.overlapped_iterations = 12;
    overlapped.back().repetitions.pop_back();
    EXPECT_NE(render_workload(with_class, overlapped, "").find("<td>0.75</td></tr>"),
              std::string::npos);
    EXPECT_EQ(render_workload(with_class, runs(), "").find("<td>0.75</td></tr>"),
              std::string::npos);
}

TEST(WorkloadPage, SecondsAreScaledInTheChartsToo) {
    const auto chart = utilisation_chart(study(), runs());
    ASSERT_EQ(chart["data"].size(), 2u);
    EXPECT_EQ(chart["data"][0]["x"], nlohmann::json::parse("[0.0, 200.0]"));
    EXPECT_EQ(chart["data"][0]["y"], nlohmann::json::parse("[50.0, 0.0]"));
    EXPECT_EQ(chart["data"][1]["x"], nlohmann::json::parse("[0.0, 20.0, 120.0]"));
    EXPECT_EQ(chart["data"][1]["y"], nlohmann::json::parse("[0.0, 100.0, 0.0]"));
}

TEST(WorkloadPage, RowsAreInRealSeconds) {
    EXPECT_EQ(workload_csv(runs()),
              "configuration,repetition,job,class,submit_s,start_s,end_s,succeeded,host_seconds,"
              "resizes,resize_time_s\n"
              "static,1,1,a<b,1000,1000,1100,1,200,0,0.000\n"
              "merge,1,1,a<b,1000,1010,1060,1,200,1,2.000\n"
              "merge,2,1,a<b,1000,1010,1060,1,200,1,2.000\n");
}

TEST(WorkloadPage, TheSummaryHasALineForEachConfiguration) {
    const auto text = workload_summary(study(), runs());
    EXPECT_NE(text.find("static                  1       200.0       50.0 %        0        200.0"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("merge                   2       120.0       83.3 %        1        120.0"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace ductile::report::workload_page_test
