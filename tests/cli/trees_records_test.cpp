// What `ductile trees` reads and writes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/trees/member_list.hpp"
#include "cli/trees/study_records.hpp"
#include "cli/trees/study_summary.hpp"
#include "ductile/error.hpp"

namespace ductile::cli::trees_records_test {
namespace {

sim::TreeStudy two_rows() {
    sim::TreeStudy study;
    study.costs = {5, 5, 0.25};
    sim::StudyRow row;
    row.algorithm = tree::Algorithm::shrink_and_balance;
    row.filler = tree::Filler::leaf;
    row.n = 2048;
    row.m = 10;
    row.fraction = 0.001;
    row.messages = 2067;
    row.time_us = 347.5;
    row.height = 3;
    row.paper_messages = 2065;
    row.paper_time_us = 378;
    study.rows.push_back(row);
    row.paper_messages = row.paper_time_us = std::nullopt;
    study.rows.push_back(row);
    return study;
}

TEST(StudyRecords, LeaveEmptyWhatThePaperDoesNotPrint) {
    EXPECT_EQ(study_csv(two_rows()),
              "algorithm,filler,n,m,fraction,messages,time_us,height,paper_messages,paper_time_us\n"
              "shrink_and_balance,leaf,2048,10,0.001,2067,347.5,3,2065,378\n"
              "shrink_and_balance,leaf,2048,10,0.001,2067,347.5,3,,\n");
    const auto json = study_json(two_rows(), 9);
    EXPECT_EQ(
        json["rows"][0].dump(),
        R"({"algorithm":"shrink_and_balance","filler":"leaf","n":2048,"m":10,"fraction":0.001,)"
        R"("messages":2067,"time_us":347.5,"height":3,"paper_messages":2065,"paper_time_us":378})");
    EXPECT_TRUE(json["rows"][1]["paper_messages"].is_null());
    EXPECT_TRUE(json["rows"][1]["paper_time_us"].is_null());
    EXPECT_EQ(json["costs"]["per_byte_us"], 0.25);
    EXPECT_EQ(json["seed"], 9);
}

TEST(StudySummary, NamesTheLargestDeviations) {
    const auto summary = study_summary(two_rows());
    for (const char* part : {"shrink_and_balance", "+0.1 %", "-8.1 %", "0.001 of 2k",
                             "in 1 of 1 cells", "latency 5.000 us", "0.25000 us a byte"})
        EXPECT_NE(summary.find(part), std::string::npos) << part << " in\n" << summary;
}

TEST(MemberList, TakesProcessesAndRanges) {
    const auto members = members_named("--members", "0,4,7-9,8", 10);
    EXPECT_EQ(members,
              (std::vector<bool>{true, false, false, false, true, false, false, true, true, true}));
    for (const char* bad : {"", "a", "1-", "-1", "1-2-3", "3-1", "10", "9-10", "1,", "99999999999"})
        EXPECT_THROW(members_named("--members", bad, 10), InputError) << bad;
}

}  // namespace
}  // namespace ductile::cli::trees_records_test
